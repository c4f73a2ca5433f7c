#!/usr/bin/env bash
# usage: install_deps.sh [build] [check] [tidy] [fuzz] [bench] [plugins]     (default: build)
# Installs what is missing of the Debian 12 packages for a purpose; needs root or sudo only when something is missing.
set -euo pipefail

build=(
  g++ cmake ninja-build ccache make pkg-config python3
  llvm-19-dev            # code generator of the native target
  libdnnl-dev            # convolutions and matrix products
  libopenblas-openmp-dev # LAPACK; the OpenMP build shares its threads with oneDNN
  zlib1g-dev             # .gz data files
  libzip-dev             # .npz archives
  nlohmann-json3-dev libcli11-dev
  libgtest-dev
  dataset-fashion-mnist  # data of the demo
)
check=(git clang-format-19)
tidy=(clang-tidy-19)
bench=(python3-venv)
plugins=(python3-pip)
fuzz=(clang-19 libclang-rt-19-dev)

wanted=()
for group in "${@:-build}"; do
  declare -n packages="$group"
  wanted+=("${packages[@]}")
done

missing=()
for package in "${wanted[@]}"; do
  [[ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "missing packages: ${missing[*]} (install them as root)" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
