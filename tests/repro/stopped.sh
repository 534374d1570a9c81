#!/usr/bin/env bash
# Runs stopped by SIGTERM at 20 random moments and resumed end as one that was never stopped.
set -eu
: "${JOSTLE:?JOSTLE must be the path of the program}"
here=$(cd "$(dirname "$0")" && pwd)
source "$here/support/python.bash"
exec "$python" "$here/support/repro.py" stopped "$JOSTLE" "$here/support/small.yaml" 20
