#!/usr/bin/env bash
# usage: bench_step.sh BUILD_DIR     prints `train_step ratio R`: our training step's time over PyTorch eager's
# PyTorch goes into a virtual environment of the build folder (its Linux wheel needs about 5 GB with the libraries it loads).
# WEFT_PEER_MALLOC=tuned keeps PyTorch's freed memory in the process, which makes it faster than it is by default.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
torch=2.15.0
venv=$build/torch-$torch

if [[ ! -e $venv/complete ]]; then
  tools/install_deps.sh bench
  /usr/bin/python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "torch==$torch" numpy
  touch "$venv/complete"
fi

peer=("$venv/bin/python" bench/torch_step.py)
if [[ ${WEFT_PEER_MALLOC:-} == tuned ]]; then
  peer=(env MALLOC_MMAP_THRESHOLD_=17179869184 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456 "${peer[@]}")
fi
OMP_NUM_THREADS=2 "$build/bench/train_step" "${peer[@]}"
