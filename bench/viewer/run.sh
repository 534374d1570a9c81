#!/usr/bin/env bash
# What a viewer costs the run: the same scene of 10^5 spheres, in turns alone and with a client that
# reads 20 frames a second. Prints body-steps per second of each and their ratio.
#   bench/viewer/run.sh [PROGRAM] [SECONDS SIMULATED] [ROUNDS]
set -eu
jostle=$(realpath "${1:-$(dirname "$0")/../../build/release/jostle}")
cd "$(dirname "$0")"
until=${2:-0.004}
rounds=${3:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$jostle" run box.yaml --until "$until" --out "$work/alone" --force --json >"$work/warm" # warms up
for round in $(seq "$rounds"); do
    "$jostle" run box.yaml --until "$until" --out "$work/alone" --force --json >"$work/alone.json"
    "$jostle" run box.yaml --until "$until" --out "$work/seen" --force --json --view-wait >"$work/seen.json" 2>"$work/seen.log" &
    until grep -q http "$work/seen.log"; do sleep 0.05; done
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\).*/\1/p' "$work/seen.log")
    node watch.mjs "$port" >"$work/client.json"
    wait
    python3 - "$round" "$work" <<'END'
import json, sys
round, work = sys.argv[1], sys.argv[2]
alone, seen, client = (json.load(open(f"{work}/{name}.json")) for name in ("alone", "seen", "client"))
assert alone["state_hash"] == seen["state_hash"]
speed = lambda run: run["steps"] * run["bodies"] / run["seconds"] / 1e6
print(f"round {round}: alone {speed(alone):.2f} M body-steps/s, watched {speed(seen):.2f} ({100 * speed(seen) / speed(alone):.1f} %), "
      f"{client['frames_per_second']:.1f} frames/s of {client['frame_bytes'] / 1e6:.2f} MB, same hash")
END
done
