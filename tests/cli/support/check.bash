# check.bash — what the program's tests share: run a command, compare exit code and output.
# Each test sources it; `finish` ends the test. JOSTLE is the program, here is this folder's parent.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${JOSTLE:?JOSTLE must be the path of the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail() { # message
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# expect CODE FRAGMENT COMMAND… : runs, and wants that exit code and that text in stdout or stderr.
expect() {
    local code=$1 fragment=$2
    shift 2
    checks=$((checks + 1))
    "$@" >"$work/.out" 2>"$work/.err" </dev/null
    local got=$?
    if [ "$got" -ne "$code" ]; then
        fail "exit code $got instead of $code: $*"
        sed 's/^/    /' "$work/.out" "$work/.err" | head -20
    elif [ -n "$fragment" ] && ! grep -qF -- "$fragment" "$work/.out" "$work/.err"; then
        fail "'$fragment' is not in the output of: $*"
        sed 's/^/    /' "$work/.out" "$work/.err" | head -20
    fi
}

# same WHAT A B
same() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: '$2' is not '$3'"
}

# absent FILE… : no such file, and nothing half-written beside it.
absent() {
    checks=$((checks + 1))
    local file
    for file in "$@"; do
        if compgen -G "$file*" >/dev/null; then fail "left behind: $(echo "$file"*)"; fi
    done
}

# field NAME < JSON : one value of an object as the program prints it, one per line. (Whether the
# whole is JSON, python3 checks where a test looks closer.)
field() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p"; }

finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures of $checks checks failed"
        exit 1
    fi
    echo "$checks checks passed"
    exit 0
}
