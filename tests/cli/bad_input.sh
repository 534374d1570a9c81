#!/usr/bin/env bash
# Bad input, bad output, bad options: a sentence, the right exit code, and nothing half-written.
source "$(dirname "$0")/support/check.bash"
printf 'x,y,z,r\n0,0,0,1\n1,0,0,1\n' >"$work/good.csv"

# The environment: 1.
expect 1 "missing.csv" "$JOSTLE" detect "$work/missing.csv"
expect 1 "$work" "$JOSTLE" detect "$work"
expect 1 "no folder" "$JOSTLE" detect "$work/good.csv" -o "$work/nowhere/pairs.csv"
absent "$work/nowhere"
expect 1 "no folder" "$JOSTLE" detect "$work/good.csv" --png "$work/nowhere/x.png"
expect 1 "no folder" "$JOSTLE" generate --n 10 -o "$work/nowhere/x.csv"
mkdir "$work/folder.csv"
expect 1 "is a folder" "$JOSTLE" detect "$work/good.csv" -o "$work/folder.csv"
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/locked" && chmod 555 "$work/locked"
    expect 1 "cannot be written" "$JOSTLE" detect "$work/good.csv" -o "$work/locked/p.csv"
fi
for options in "--json" "--count" "" "-o -" "--why"; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$JOSTLE" detect "$work/good.csv" -m brute $options >/dev/full 2>"$work/.err"
    same "detect $options > /dev/full" $? 2
    grep -q "error" "$work/.err" || fail "detect $options > /dev/full says nothing"
done

# The data: 2, with file and line.
bad() { # text, fragment
    printf "$1" >"$work/bad.csv"
    expect 2 "$2" "$JOSTLE" detect "$work/bad.csv" -m brute
    expect 2 "" "$JOSTLE" detect "$work/bad.csv" -m brute -o "$work/out.csv" --json
    absent "$work/out.csv"
}
bad 'x,y,z,r\n0,0,0,1\n1,zero,0,1\n' "bad.csv:3"
bad '0,0,0,1\n1,0,0\n' "bad.csv:2"
bad '0,0,0,1\nnan,0,0,1\n' "nan"
bad '0,0,0,1\n0,inf,0,1\n' "inf"
bad '0,0,0,1\n0,0,0,-1\n' "r is -1"
bad '0,0,0,1e200\n0,0,0,1\n' "1e"
head -c 3000 /dev/urandom >"$work/noise.csv"
expect 2 "noise.csv" "$JOSTLE" detect "$work/noise.csv"
printf '\x93NUMPY\x01\x00' >"$work/short.npy"
expect 2 "short.npy" "$JOSTLE" detect "$work/short.npy"

# An old output survives a failure.
echo old >"$work/kept.csv"
printf '0,0,0,nan\n' >"$work/bad.csv"
expect 2 "" "$JOSTLE" detect "$work/bad.csv" -o "$work/kept.csv"
same "the old file" "$(cat "$work/kept.csv")" old

# The command line: 64.
expect 64 "did you mean 'cells'?" "$JOSTLE" detect "$work/good.csv" --method cels
expect 64 "there is no method 'quantum'" "$JOSTLE" detect "$work/good.csv" --method quantum
expect 64 "not a count" "$JOSTLE" detect --workload A3 --n many
expect 64 "not a count" "$JOSTLE" detect --workload A3 --n 1.5
expect 64 "not a count" "$JOSTLE" detect --workload A3 --n -5
expect 64 "it must be" "$JOSTLE" detect --workload A3 --n 1e12
expect 64 "not a number" "$JOSTLE" detect "$work/good.csv" --cell wide
expect 64 "it must be" "$JOSTLE" detect "$work/good.csv" --cell -1
expect 64 "did you mean 'A3'?" "$JOSTLE" detect --workload a3
expect 64 "it must be 2 to 3" "$JOSTLE" detect "$work/good.csv" --dim 4
expect 64 ".csv or .npy" "$JOSTLE" detect "$work/good.csv" -o pairs.doc
expect 64 "second" "$JOSTLE" detect "$work/good.csv" "$work/good.csv"
expect 64 "leave out" "$JOSTLE" detect "$work/good.csv" -o - --json
expect 64 "say where to put it" "$JOSTLE" generate --n 10
expect 64 "there is no layout" "$JOSTLE" generate --layout chaos -o x.csv
expect 64 "which paper" "$JOSTLE" reproduce
expect 64 "there is no paper '9'" "$JOSTLE" reproduce 9
expect 64 "requires an argument" "$JOSTLE" detect "$work/good.csv" --method

# A signal: 128 + its number, and no file. (A background job of a script ignores SIGINT, and so
# does the program then: python3 starts it with the default.)
for signal in INT TERM; do
    checks=$((checks + 1))
    python3 - "$signal" "$JOSTLE" "$work/never.csv" <<'END' || fail "SIG$signal does not end it as it should"
import signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
run = subprocess.Popen([sys.argv[2], "detect", "--workload", "A3", "--n", "3e5", "-m", "brute", "-o", sys.argv[3]],
                       restore_signals=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
time.sleep(0.7)
run.send_signal(number)
assert run.wait(timeout=20) == -number, run.returncode
END
    absent "$work/never.csv"
done
# While reading, too: the read is given up.
mkfifo "$work/pipe"
(exec 9>"$work/pipe"; printf '0,0,0,1\n' >&9; sleep 3) &
"$JOSTLE" detect - --format csv <"$work/pipe" >/dev/null 2>&1 &
child=$!
sleep 0.5
kill -TERM $child
wait $child
same "exit code after SIGTERM while reading" $? 143
finish
