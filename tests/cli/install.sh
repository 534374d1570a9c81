#!/usr/bin/env bash
# Installs the library to a temporary prefix and uses it from there as another program would: through
# find_package and through pkg-config, shared and static, from C and from C++.
set -eu
: "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${CC:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
expected='0 touches 1
1 touches 2'

check() { # what, command …
    local what=$1 output
    shift
    output=$("$@") || { echo "$what: failed"; exit 1; }
    [ "$output" = "$expected" ] || { echo "$what: printed '$output'"; exit 1; }
    echo "$what: ok"
}

cmake --install "$BUILD_DIR" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
libdir=$(dirname "$(find "$prefix" -name libjostle.a)")
[ -e "$libdir/libjostle.so" ] || { echo "no shared library in $libdir"; exit 1; }
"$prefix/bin/jostle" --version | grep -q '[0-9]\.[0-9]' || { echo "the program does not run"; exit 1; }

# find_package
cmake -S "$SOURCE_DIR/examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$CC" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
check "find_package, shared" "$work/build/ten_lines_shared"
check "find_package, static" "$work/build/ten_lines_static"
readelf -d "$work/build/ten_lines_shared" | grep -q 'NEEDED.*libjostle' || { echo "not shared"; exit 1; }
if readelf -d "$work/build/ten_lines_static" | grep -q 'NEEDED.*libjostle'; then echo "not static"; exit 1; fi

# pkg-config, which must find the prefix installed to, not the one the build was configured with.
export PKG_CONFIG_PATH=$libdir/pkgconfig
pc() { pkg-config "$@"; }
# shellcheck disable=SC2046
"$CC" -Wall -Wextra -Werror "$SOURCE_DIR/examples/ten_lines.c" $(pc --cflags --libs jostle) -o "$work/shared"
check "pkg-config, shared" env LD_LIBRARY_PATH="$libdir" "$work/shared"
# shellcheck disable=SC2046
"$CC" "$SOURCE_DIR/examples/ten_lines.c" $(pc --cflags jostle) "$libdir/libjostle.a" \
    $(pc --libs --static jostle | sed 's/-ljostle//') -o "$work/static"
check "pkg-config, static" "$work/static"
version=$(sed -n 's/.*JO_VERSION_STRING "\(.*\)"/\1/p' "$SOURCE_DIR/include/jostle/base.h")
[ "$(pc --modversion jostle)" = "$version" ] || { echo "jostle.pc has another version"; exit 1; }

# C++
if command -v c++ >/dev/null; then
    cp "$SOURCE_DIR/examples/ten_lines.c" "$work/ten_lines.cpp"
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -pedantic -Werror "$work/ten_lines.cpp" $(pc --cflags --libs jostle) -o "$work/cpp"
    check "C++, shared" env LD_LIBRARY_PATH="$libdir" "$work/cpp"
fi

# Nothing but the public functions leaves the shared library.
odd=$(nm -D --defined-only "$libdir/libjostle.so" | awk '$2 ~ /[TDBR]/ && $3 !~ /^(jo_|_init|_fini)/ {print $3}')
[ -z "$odd" ] || { echo "exported but not public: $odd"; exit 1; }
for name in $(nm -D --defined-only "$libdir/libjostle.so" | awk '$2 == "T" && $3 ~ /^jo_/ {print $3}'); do
    grep -rqw "$name" "$prefix/include/jostle" || { echo "$name is exported but in no header"; exit 1; }
done
for name in $(grep -rhoE '\bjo_[a-z0-9_]+\(' "$prefix/include/jostle" | tr -d '(' | sort -u); do
    nm -D --defined-only "$libdir/libjostle.so" | grep -qw "$name" || { echo "$name is declared but not exported"; exit 1; }
done
echo "exports: as the headers say"
