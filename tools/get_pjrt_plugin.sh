#!/usr/bin/env bash
# usage: get_pjrt_plugin.sh FOLDER [WHEEL==VERSION]     (default: a plugin for this CPU)
# Puts the files of a Python wheel that holds a PJRT plugin below FOLDER and prints the library's path. Tests look in build/plugins. Needs pip
# (Debian: python3-pip) the first time; where there is none, or no network, it says so and fails, and the tests that need a plugin are skipped.
set -euo pipefail
folder=$1
wheel=${2:-lammps-jax-pjrt-cpu==0.11.2}
name=${wheel%%==*}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
unpacked=$folder/$name
if [ ! -d "$unpacked" ]; then
  python3 -m pip --version > /dev/null 2>&1 || { echo "get_pjrt_plugin: pip is missing (Debian: python3-pip)" >&2; exit 1; }
  scratch=$(mktemp -d "$folder/.download-XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  python3 -m pip download --quiet --no-deps --dest "$scratch" "$wheel"
  mkdir "$scratch/files"
  (cd "$scratch/files" && python3 -m zipfile -e "$scratch"/*.whl .)
  mv "$scratch/files" "$unpacked"
fi
find "$unpacked" -name '*.so' -size +1M | head -n 1
