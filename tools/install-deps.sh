#!/usr/bin/env bash
# Installs what is missing of the Debian packages for a purpose: build, test, bench, bench-soft, bench-polygons or bench-features.
# Says what it does; does nothing when everything is there.
set -eu
build="gcc make cmake ninja-build pkg-config libcairo2-dev libyaml-dev libhdf5-dev libqhull-dev libwebsockets-dev esbuild ca-certificates"
command -v npm >/dev/null || build="$build npm" # there may be one that is not Debian's
test="$build chromium libcmocka-dev clang clang-format libclang-rt-14-dev python3 python3-h5py"
bench="$build g++ libcgal-dev libbullet-dev libfcl-dev libnanoflann-dev libembree-dev libboost-dev liblammps-dev"
polygons="$build g++ libbox2d-dev libchipmunk-dev"
soft="$build g++ lammps yade"
features="$build g++ libccd-dev libfcl-dev libbullet-dev"
case ${1:-build} in
build) want=$build ;;
test) want=$test ;;
bench) want=$bench ;;
bench-polygons) want=$polygons ;;
bench-soft) want=$soft ;;
bench-features) want=$features ;;
*) echo "usage: $0 build|test|bench|bench-soft|bench-polygons|bench-features" >&2; exit 64 ;;
esac

command -v dpkg-query >/dev/null || { echo "not Debian: please install the equivalents of: $want" >&2; exit 0; }
missing=""
for package in $want; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
echo "installing:$missing"
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
