#!/usr/bin/env bash
# What a viewer costs the run: 10^5 spheres at rest on each other, the same stretch of time in turns
# alone and with a client that reads every frame (20 a second). Prints the wall time of each, their
# ratio, and whether both ended with the same hash.
#   bench/viewer/run.sh [PROGRAM] [ROUNDS] [FOLDER]     the folder keeps the settled state for the next time
set -eu
jostle=$(realpath "${1:-$(dirname "$0")/../../build/release/jostle}")
rounds=${2:-3}
work=${3:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
cd "$(dirname "$0")"
settled=0.05 end=${END:-0.07}
[ -e "$work/settled/checkpoint.h5" ] || "$jostle" run box.yaml --until $settled --out "$work/settled" --force --quiet

go() { # NAME OPTION… : from the settled state on
    local name=$1
    shift
    "$jostle" resume "$work/settled" --until $end --out "$work/$name" --force --json "$@" >"$work/$name.json" 2>"$work/$name.log"
}
for round in $(seq "$rounds"); do
    go alone
    : >"$work/watched.log"
    go watched --view-wait &
    until grep -q http "$work/watched.log"; do
        [ -n "$(jobs -r)" ] || { cat "$work/watched.log" >&2; exit 1; }
        sleep 0.05
    done
    python3 watch.py "$(sed -n 's/.*127.0.0.1:\([0-9]*\).*/\1/p' "$work/watched.log")" >"$work/client.json"
    wait
    python3 - "$round" "$work" <<'END'
import json, sys
round, work = sys.argv[1], sys.argv[2]
alone, watched, client = (json.load(open(f"{work}/{name}.json")) for name in ("alone", "watched", "client"))
assert alone["state_hash"] == watched["state_hash"]
print(f"round {round}: alone {alone['seconds']:.2f} s, watched {watched['seconds']:.2f} s: {100 * alone['seconds'] / watched['seconds']:.1f} % of the speed, "
      f"{client['viewer_seconds']:.2f} s of it making frames, {client['frames_per_second']:.1f} frames/s of {client['frame_bytes'] / 1e6:.2f} MB, same hash")
END
done
