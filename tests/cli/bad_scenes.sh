#!/usr/bin/env bash
# Scene files that cannot be right: exit code 2, and a message at the right line and column. The table is
# support/bad-scenes.txt; what cannot stand in a text file is made here.
source "$(dirname "$0")/support/check.bash"

m='materials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9, friction: 0.3}}'
b='bodies: [{list: [{position: [0, 0, 1], radius: 0.1}]}]'
d='duration: 1'
cases=0
case_line=0
place='' words=''

judge() {
    [ -n "$place" ] || return
    cases=$((cases + 1))
    checks=$((checks + 1))
    "$JOSTLE" check "$work/scene.yaml" >"$work/.out" 2>"$work/.err" </dev/null
    local got=$?
    if [ $got -ne 2 ]; then
        fail "case in line $case_line: exit code $got instead of 2 ($place $words)"
    elif ! grep -F -- "$words" "$work/.err" | grep -qF -- "$work/scene.yaml:$place: error: "; then
        fail "case in line $case_line: no '$words' at $place"
        sed 's/^/    /' "$work/.err" | head -8
    fi
}

number=0
while IFS= read -r line; do
    number=$((number + 1))
    case $line in
    '=== '*)
        judge
        case_line=$number place=${line#=== }
        words=${place#* } place=${place%% *}
        : >"$work/scene.yaml"
        ;;
    @m) echo "$m" >>"$work/scene.yaml" ;;
    @b) echo "$b" >>"$work/scene.yaml" ;;
    @d) echo "$d" >>"$work/scene.yaml" ;;
    *) [ -z "$place" ] || printf '%s\n' "$line" >>"$work/scene.yaml" ;;
    esac
done <"$here/support/bad-scenes.txt"
judge
[ "$cases" -ge 100 ] || fail "only $cases cases"

# The good lines themselves are good.
printf '%s\n%s\n%s\n' "$m" "$b" "$d" >"$work/good.yaml"
expect 0 "fine" "$JOSTLE" check "$work/good.yaml"

# Bytes.
refuse() { # words, file
    expect 2 "$1" "$JOSTLE" check "$2"
}
: >"$work/empty.yaml"
refuse "the file is empty" "$work/empty.yaml"
printf '# nothing\n' >"$work/comment.yaml"
refuse "the file is empty" "$work/comment.yaml"
printf '%s\n%s\n%s\ntitle: caf\xe9\n' "$m" "$b" "$d" >"$work/latin.yaml"
refuse "latin.yaml:4:11: error: the byte 0xE9 is not UTF-8" "$work/latin.yaml"
printf '%s\n\x00\n' "$m" >"$work/nul.yaml"
refuse "nul.yaml:2:1: error: the byte 0x00 is no text" "$work/nul.yaml"
printf '%s\nwalls:\n\tfloor: {}\n' "$m" >"$work/tab.yaml"
refuse "tab.yaml:3:1: error: a tab where YAML allows none" "$work/tab.yaml"
head -c 5000 /dev/urandom >"$work/noise.yaml"
refuse "error" "$work/noise.yaml"
head -c 100000 /dev/zero | tr '\0' '[' >"$work/deep.yaml"
refuse "deep.yaml:1:33: error: nested more than 32 levels deep" "$work/deep.yaml"
{
    echo 'a: &a {position: [0, 0, 0], radius: 1}'
    printf 'bodies:\n  - list: &l ['
    for _ in $(seq 2000); do printf '*a, '; done
    printf ']\n'
    for _ in $(seq 2000); do echo '  - list: *l'; done
} >"$work/laughs.yaml"
refuse "unfold to more than" "$work/laughs.yaml"
{
    printf '%s\n%s\n%s\n' "$m" "$b" "$d"
    for k in $(seq 1000); do echo "wrong$k: $k"; done
} >"$work/many.yaml"
refuse "and 800 more" "$work/many.yaml"

# All problems at once, in the order of the file, and none of them twice.
cat >"$work/several.yaml" <<'END'
duraton: 1
materials: {g: {density: -1}}
bodies: [{radius: 5 s, random: {count: x}}]
END
refuse "several.yaml:1:1: error: the scene needs 'duration'" "$work/several.yaml"
same "number of problems" "$(grep -c error "$work/.err")" 6
same "their order" "$(cut -d: -f2,3 "$work/.err")" "$(cut -d: -f2,3 "$work/.err" | sort -t: -k1n -k2n)"

# Meshes that cannot be used.
mesh() { # words
    printf '%s\n%s\n%s\nwalls: {a: {mesh: {file: bad.stl}}}\n' "$m" "$b" "$d" >"$work/mesh.yaml"
    refuse "$1" "$work/mesh.yaml"
}
: >"$work/bad.stl"
mesh "bad.stl: is empty"
printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n' >"$work/bad.stl"
mesh "ends inside a facet; it is cut short"
printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 nan 0\nendloop\nendfacet\nendsolid a\n' >"$work/bad.stl"
mesh "not finite"
printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0\nendloop\nendfacet\nendsolid a\n' >"$work/bad.stl"
mesh "has no triangles with an area"
{ head -c 80 /dev/zero; printf '\x05\x00\x00\x00'; head -c 60 /dev/zero; } >"$work/bad.stl"
mesh "bad.stl"
{ head -c 80 /dev/zero; printf '\x02\x00\x00\x00'; } >"$work/bad.stl"
mesh "cut short"
printf 'v 0 0 0\nv 1 0 0\nf 1 2 3\n' >"$work/bad.stl"
mesh "the number of a point above expected"
printf '0 0 0 1 0 0 0 1\n' >"$work/bad.stl"
mesh "nine numbers"
printf 'hello world\n' >"$work/bad.stl"
mesh "neither STL nor OBJ"

# The environment and the command line.
expect 2 "cannot be opened" "$JOSTLE" check "$work/no.yaml"
expect 2 "is a directory" "$JOSTLE" check "$work"
expect 64 "which SCENE" "$JOSTLE" check
expect 64 "one SCENE" "$JOSTLE" check a b
# Room that is not there: found when placing.
cat >"$work/full.yaml" <<END
$m
bodies: [{radius: 0.1, random: {fraction: 0.72, region: {lo: [0, 0, 0], hi: [1, 1, 1]}}}]
$d
END
expect 2 "$work/full.yaml: bodies" "$JOSTLE" check --place "$work/full.yaml"
expect 2 "cannot be placed at random" "$JOSTLE" check --place "$work/full.yaml"
# What only the engine finds, told with the file's name and in JSON.
printf '%s\n%s\n%s\nbox: {lo: [0, -1, 0], hi: [0.3, 1, 2], periodic: [x]}\n' "$m" "$b" "$d" >"$work/narrow.yaml"
expect 2 "$work/narrow.yaml: the box is 0.3 long on its periodic axis x" "$JOSTLE" check "$work/narrow.yaml"
expect 2 '"text": "the box is 0.3 long on its periodic axis x' "$JOSTLE" check --json "$work/narrow.yaml"
echo "$cases scenes in the table"
finish
