#!/usr/bin/env bash
# Runs the benchmark: bench/run.sh [--quick] [peers|moving|auto|scaling|memory|all]
# Results go to out/bench: one CSV per table, plots, report.md and index.html.
# Fails only when some contender's contacts differ from the others', never for being slow.
set -u
cd "$(dirname "$0")/.."
program=${JOSTLE_BENCH_PROGRAM:-build/bench/bench/jostle-bench}
out=out/bench
quick=""
sections=""
for argument in "$@"; do
    case $argument in
    --quick) quick=--quick ;;
    peers | moving | auto | scaling | memory) sections="$sections $argument" ;;
    all) sections="peers moving auto scaling memory" ;;
    *) echo "usage: $0 [--quick] [peers|moving|auto|scaling|memory|all]" >&2; exit 64 ;;
    esac
done
[ -n "$sections" ] || sections="peers moving auto scaling memory"
[ -x "$program" ] || { echo "$program is missing: run 'make bench', or cmake --preset bench and build it" >&2; exit 1; }
mkdir -p "$out"

# LAMMPS brings MPI: one process, and no complaint about running as root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=true
# Threads that wait must not burn the CPU time of the contender that runs after them.
export OMP_WAIT_POLICY=passive

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
machine="${processor:-unknown processor}, $(nproc) cores, $(date -u +%Y-%m-%d), compiler $(cc --version | head -n 1)"
failed=0
for section in $sections; do
    "$program" $quick --out "$out" "$section" || failed=1
done

{
    echo "# jostle's benchmark"
    echo
    echo "Measured on $machine. One thread unless stated; CPU time, best of several interleaved runs."
    for section in peers moving auto scaling memory; do
        [ -f "$out/$section.md" ] && { echo; cat "$out/$section.md"; }
    done
} >"$out/report.md"
{
    echo '<!doctype html><html lang="en"><meta charset="utf-8"><title>jostle: benchmark</title><style>'
    echo 'body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:#1b1f24}'
    echo 'table{border-collapse:collapse;margin:1rem 0;font-size:13px;display:block;overflow-x:auto}'
    echo 'td,th{border-bottom:1px solid #d8dde3;padding:.25rem .6rem;text-align:right;white-space:nowrap}'
    echo 'td:first-child,th:first-child{text-align:left}img{max-width:100%}</style>'
    echo "<h1>jostle's benchmark</h1><p>Measured on $machine."
    echo "One thread unless stated; CPU time, best of several interleaved runs.</p>"
    for section in peers moving auto scaling memory; do
        [ -f "$out/$section.part.html" ] && cat "$out/$section.part.html"
    done
    echo '</html>'
} >"$out/index.html"

echo
echo "tables and plots: $out/report.md, $out/index.html; data: $out/*.csv"
[ $failed = 0 ] || echo "some results were WRONG: see above" >&2
exit $failed
