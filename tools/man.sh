#!/usr/bin/env bash
# Writes jostle.1 and one page per command from the program's own --help, with help2man.
# usage: tools/man.sh PROGRAM FOLDER
set -eu
program=${1:?usage: man.sh PROGRAM FOLDER} folder=${2:?usage: man.sh PROGRAM FOLDER}
command -v help2man >/dev/null || { echo "please install help2man" >&2; exit 1; }
mkdir -p "$folder"
PATH=$(cd "$(dirname "$program")" && pwd):$PATH
help2man --no-info --name "find which spheres touch" --output "$folder/jostle.1" jostle
for command in run resume demo render plot distribution check schema detect generate compare tune reproduce list; do
    summary=$(jostle --help | sed -n "s/^  $command  *//p" | head -1)
    help2man --no-info --name "$summary" --output "$folder/jostle-$command.1" "jostle $command"
    # help2man takes the page's name from --version, which is the program's.
    sed -i "s/^\.TH JOSTLE /.TH JOSTLE-${command^^} /; s/^jostle \\\\- /jostle-$command \\\\- /" "$folder/jostle-$command.1"
done
echo "man pages are in $folder"
