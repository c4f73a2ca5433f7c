#!/usr/bin/env bash
# usage: install_test.sh BUILD_DIR     installs into a scratch prefix and builds a program against it, by CMake and by pkg-config
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" > /dev/null

cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" > /dev/null
cmake --build "$scratch/build" > /dev/null
[[ $("$scratch/build/consumer") == "6 elements" ]] || { echo "find_package: wrong output"; exit 1; }

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib/x86_64-linux-gnu/pkgconfig
read -ra flags <<< "$(pkg-config --cflags --libs weft)"
g++ -std=c++20 "$here/consumer.cc" -o "$scratch/consumer" "${flags[@]}"
library_path=$(pkg-config --variable=libdir weft)
[[ $(LD_LIBRARY_PATH=$library_path "$scratch/consumer") == "6 elements" ]] || { echo "pkg-config: wrong output"; exit 1; }

if [[ -x $build/weft ]]; then
  "$prefix/bin/weft" --help > /dev/null
fi
echo "package installs and links"
