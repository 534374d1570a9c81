#!/usr/bin/env bash
# What a viewer costs the run: 10^5 spheres at rest on each other, the same stretch of time in turns
# alone and with a client that reads every frame (20 a second). Prints the wall time of each, their
# ratio, and whether both ended with the same hash.
#   bench/viewer/run.sh [PROGRAM] [ROUNDS] [FOLDER]     the folder keeps the settled state for the next time
#   THREADS="1 2"       numbers of threads of the run
#   CLIENT=browser      the page itself in headless Chromium (with software GL) instead of a client that
#                       reads and forgets; WEB_MODULES is where playwright-core is
#   STEPS=1000          of the stretch that is measured
set -eu
jostle=$(realpath "${1:-$(dirname "$0")/../../build/release/jostle}")
rounds=${2:-3}
work=${3:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
export WEB_MODULES=${WEB_MODULES:-$(dirname "$jostle")/web/node_modules}
cd "$(dirname "$0")"
end=$(python3 -c "print(round(0.05 + 1e-5 * ${STEPS:-1000}, 5))")
[ -e "$work/settled/checkpoint.h5" ] || "$jostle" run box.yaml --until 0.05 --out "$work/settled" --force --quiet

go() { # NAME OPTION… : from the settled state on
    local name=$1
    shift
    "$jostle" resume "$work/settled" --until "$end" --out "$work/$name" --force --json "$@" >"$work/$name.json" 2>"$work/$name.log"
}
for threads in ${THREADS:-1 2}; do
    for round in $(seq "$rounds"); do
        go alone --threads "$threads"
        : >"$work/watched.log"
        go watched --threads "$threads" --view-wait &
        until grep -q http "$work/watched.log"; do
            [ -n "$(jobs -r)" ] || { cat "$work/watched.log" >&2; exit 1; }
            sleep 0.05
        done
        address=$(sed -n 's|.*\(http://127.0.0.1:[0-9]*/\).*|\1|p' "$work/watched.log")
        if [ "${CLIENT:-}" = browser ]; then
            node browser.mjs "$address" >"$work/client.json"
        else
            python3 watch.py "$(echo "$address" | sed 's/.*:\([0-9]*\).*/\1/')" >"$work/client.json"
        fi
        wait
        python3 - "$threads" "$round" "$work" <<'END'
import json, sys
threads, round, work = sys.argv[1:]
alone, watched, client = (json.load(open(f"{work}/{name}.json")) for name in ("alone", "watched", "client"))
assert alone["state_hash"] == watched["state_hash"]
print(f"threads {threads}, round {round}: alone {alone['seconds']:.2f} s, watched {watched['seconds']:.2f} s: {100 * alone['seconds'] / watched['seconds']:.1f} % of the speed, "
      f"{client['viewer_seconds']:.2f} s of it making frames, {client['frames_per_second']:.1f} frames/s of {client['frame_bytes'] / 1e6:.2f} MB, same hash")
END
    done
done
