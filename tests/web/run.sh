#!/usr/bin/env bash
# Runs one test of the viewer: run.sh NAME. JOSTLE is the program, WEB_MODULES where npm put
# playwright-core. Says why and exits with 77 (skipped) where there is no viewer or no browser.
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
"$JOSTLE" list --json >/dev/null || exit 1
[ "${VIEWER:-}" = yes ] || skip "this build has no viewer (${VIEWER_WHY_NOT:-})"
command -v node >/dev/null || skip "node is not installed"
[ -d "$WEB_MODULES/playwright-core" ] || skip "playwright-core is not there"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "chromium is not installed"
export CHROMIUM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" && node "$here/$1.mjs"
