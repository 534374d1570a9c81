#!/usr/bin/env bash
# Runs the benchmark of the soft engine: bench/soft/run.sh [--quick] [--settled FILE] [--only CASE] …
# Results go to out/bench-soft: one CSV per table, plots, report.md and index.html; start states are
# kept in build/bench-soft. Fails when something could not be run, or when jostle and LAMMPS do not
# compute the same, never for being slow.
set -u
cd "$(dirname "$0")/../.."
program=${JOSTLE_BENCH_PROGRAM:-build/bench/bench/soft/jostle-bench-soft}
out=out/bench-soft
[ -x "$program" ] || { echo "$program is missing: run 'make bench-soft'" >&2; exit 1; }
mkdir -p "$out" build/bench-soft

# mpirun on one machine: no remote shell, root is fine, and processes may share cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=true

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
machine="${processor:-unknown processor}, $(nproc) cores, $(date -u +%Y-%m-%d), compiler $(cc --version | head -n 1)"
"$program" --out "$out" "$@"
status=$?
{ [ $status = 64 ] || [ ! -f "$out/soft.md" ]; } && exit $status # misuse, or nothing to report
{
    echo "# jostle's benchmark of soft spheres"
    echo
    echo "Measured on $machine."
    echo
    cat "$out/soft.md"
} >"$out/report.md"
{
    echo '<!doctype html><html lang="en"><meta charset="utf-8"><title>jostle: soft spheres</title><style>'
    echo 'body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:#1b1f24}'
    echo 'table{border-collapse:collapse;margin:1rem 0;font-size:13px;display:block;overflow-x:auto}'
    echo 'td,th{border-bottom:1px solid #d8dde3;padding:.25rem .6rem;text-align:right;white-space:nowrap}'
    echo 'td:first-child,th:first-child{text-align:left}img{max-width:100%}</style>'
    echo "<h1>jostle's benchmark of soft spheres</h1><p>Measured on $machine.</p>"
    cat "$out/soft.part.html"
    echo '</html>'
} >"$out/index.html"
echo
echo "tables and plots: $out/report.md, $out/index.html; data: $out/*.csv"
[ $status = 0 ] || echo "something FAILED: see above" >&2
exit $status
