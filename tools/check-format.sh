#!/usr/bin/env bash
# Fails on a C file that `make format` would change. Versions of clang-format differ in what they
# like, so only Debian 12's is asked; without it the check is skipped (77).
set -eu
cd "${1:-$(dirname "$0")/..}"
command -v clang-format >/dev/null || { echo "no clang-format: not checked"; exit 77; }
version=$(clang-format --version | grep -oE '[0-9]+' | head -1)
[ "$version" = 14 ] || { echo "clang-format $version, not 14: not checked"; exit 77; }

find bench cli examples include scenes src tests -name '*.[ch]' -print0 |
    xargs -0 clang-format --dry-run --Werror && echo "format: every file is as make format leaves it"
