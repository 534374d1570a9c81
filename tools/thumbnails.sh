#!/usr/bin/env bash
# Makes scenes/thumbnails/NAME.png, the pictures of the viewer's start page: each scene is run for as long as
# the table says and its last frame drawn. thumbnails.sh [PROGRAM [NAME…]]; takes about ten minutes.
set -eu
cd "$(dirname "$0")/.."
jostle=${1:-build/release/jostle}
[ $# -gt 0 ] && shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p scenes/thumbnails

# Name, simulated time, and how to look at it.
table="brazil-nut 1.5 front material
chute 0.6 corner speed
drum 0.2 front speed
galton 15 front speed
gas 2 corner speed
growing 0.5 corner size
hopper 0.75 corner material
impact 0.1 corner speed
pile 0.15 corner material
polygon-hopper 1 front speed
repose 0.15 corner speed
shaken-polygons 0.1 front speed
shear 0.2 front speed
silo 0.5 corner speed
tumbler 0.15 corner material
vibrated 0.5 corner speed"

while read -r name until view colour; do
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    "$jostle" demo "$name" --quiet --until "$until" --out "$work/$name"
    "$jostle" render "$work/$name" --png "$work/$name.png" --size 360x240 --view "$view" --colour "$colour" --dark --title " "
    mv "$work/$name.png" "scenes/thumbnails/$name.png"
    echo "scenes/thumbnails/$name.png"
done <<<"$table"
