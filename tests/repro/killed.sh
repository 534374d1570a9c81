#!/usr/bin/env bash
# Runs killed (SIGKILL) at 50 random moments: what is on disk can be read, and resumed runs end as one
# that was never killed.
set -eu
: "${JOSTLE:?JOSTLE must be the path of the program}"
here=$(cd "$(dirname "$0")" && pwd)
source "$here/support/python.bash"
exec "$python" "$here/support/repro.py" killed "$JOSTLE" "$here/support/small.yaml" 50
