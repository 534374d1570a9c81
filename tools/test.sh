#!/usr/bin/env bash
# The whole test suite: an optimised build with warnings as errors, then the sanitizers over the
# same tests. The last lines are ctest's own summary of everything.
set -eu
cd "$(dirname "$0")/.."
for preset in ci asan tsan; do
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
done
failed=0
# JOSTLE_TEST_SCALE divides the number of random systems: the thread sanitizer is slow.
ctest --preset asan -E '^cli/|^repro/|^rules/|^bulk/' || failed=1
JOSTLE_TEST_SCALE=40 ctest --preset tsan -R '^oracle/test_broad|test_broad_api|test_threads|test_soft_lists' || failed=1
ctest --preset ci || failed=1
exit $failed
