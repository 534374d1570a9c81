#!/usr/bin/env bash
# Runs of hard polygons stopped and killed at random moments: resumed ones end as one that was not.
set -eu
: "${JOSTLE:?JOSTLE must be the path of the program}"
here=$(cd "$(dirname "$0")" && pwd)
source "$here/support/python.bash"
"$python" "$here/support/repro.py" stopped "$JOSTLE" "$here/support/polygons.yaml" 3
exec "$python" "$here/support/repro.py" killed "$JOSTLE" "$here/support/polygons.yaml" 3
