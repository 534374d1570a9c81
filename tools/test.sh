#!/usr/bin/env bash
# The whole test suite: an optimised build with warnings as errors, then the sanitizers over the
# tests that are worth it (the program's own run optimised only), with smaller systems: see
# JOSTLE_TEST_SCALE in CMakePresets.json. Each step tells how long it took.
set -u
cd "$(dirname "$0")/.."
threaded='test_broad_oracle test_broad_api test_threads test_soft_lists'
failed=0

timed() { # command… : runs it, tells its time, remembers a failure
    local begin=$SECONDS
    "$@" || failed=1
    echo "$((SECONDS - begin)) s: $*"
}

build() { # preset [target…]
    cmake --preset "$1" >/dev/null || exit 1
    timed cmake --build --preset "$1" ${2:+--target "${@:2}"}
    [ $failed -eq 0 ] || exit 1
}

build ci
build asan tests-unit tests-oracle tests-physics
build tsan $threaded
timed ctest --preset asan -E '^cli/|^repro/|^rules/|^bulk/|^web/'
timed ctest --preset tsan -R "/(${threaded// /|})\$"
timed ctest --preset ci
echo "$SECONDS s in all"
exit $failed
