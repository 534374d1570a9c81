#!/usr/bin/env bash
# Fails on an include that breaks the folder rule of docs/architecture.md:
#   src/base     nothing of ours        src/scene   base
#   src/broad    base scene             src/narrow  base scene        src/law  base scene
#   src/soft, src/hard   all above      src/io      base scene
#   cli, scenes  the public headers (and scenes/, their own folder)
# Public headers may be included anywhere; include/ includes only itself.
set -u
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
bad=0

allowed() { # folder → regular expression of the folders it may include from, itself among them
    case $1 in
    include/jostle) echo 'jostle' ;;
    src/base) echo 'jostle|base' ;;
    src/scene) echo 'jostle|base|scene' ;;
    src/broad | src/narrow | src/law | src/io) echo "jostle|base|scene|${1#src/}" ;;
    src/soft | src/hard) echo "jostle|base|scene|broad|narrow|law|${1#src/}" ;;
    cli | scenes) echo 'jostle|here' ;;
    *) echo '' ;;
    esac
}

for folder in include/jostle src/* cli scenes; do
    [ -d "$folder" ] || continue
    rule=$(allowed "$folder")
    if [ -z "$rule" ]; then
        echo "$folder: this folder has no include rule; add one to tools/check-includes.sh and docs/architecture.md"
        bad=1
        continue
    fi
    while IFS=: read -r file line text; do
        target=$(sed -E 's/.*"([^"]+)".*/\1/' <<<"$text")
        case $target in */*) from=${target%%/*} ;; *) from=here ;; esac
        if ! [[ $from =~ ^($rule)$ ]]; then
            echo "$file:$line: \"$target\" may not be included from $folder (allowed: ${rule//|/, })"
            bad=1
        fi
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' -r "$folder" --include='*.[ch]' -H)
done
[ $bad -eq 0 ] && echo "includes: every folder keeps its rule"
exit $bad
