#!/usr/bin/env bash
# usage: bench_sequence.sh BUILD_DIR     GPT-2's block stack and an LSTM, forward: distance from float64 PyTorch, times beside JAX and PyTorch
# JAX and PyTorch are installed into the build folder, unless WEFT_JAX_PYTHON and WEFT_TORCH_PYTHON name interpreters that have them.
set -euo pipefail
build=$1
here=$(dirname "$0")/../bench
with() {  # with PACKAGE...: an interpreter of a virtual environment that has them
  local venv=$build/venv-$1
  [[ -x $venv/bin/python ]] || python3 -m venv "$venv"
  "$venv/bin/python" -c "import $1" 2> /dev/null || "$venv/bin/pip" install --quiet "$@"
  echo "$venv/bin/python"
}
jax=${WEFT_JAX_PYTHON:-$(with jax numpy)}
torch=${WEFT_TORCH_PYTHON:-$(with torch numpy)}
data=$build/sequence_models
mkdir -p "$data"
for model in gpt2 lstm; do
  [[ -e $data/$model.mlir ]] || "$jax" "$here/sequence_models.py" export $model "$data"
  [[ -e $data/$model.reference.npy ]] || "$torch" "$here/sequence_models.py" reference $model "$data"
  "$build/weft" run "$data/$model.mlir" --input "$data/$model.npz" --out "$data/$model.result.npz"
  "$jax" "$here/sequence_models.py" compare $model "$data" "$data/$model.result.npz"
  for round in 1 2 3; do
    "$build/weft" bench "$data/$model.mlir" --input "$data/$model.npz" --seconds 3 | sed -n "1s/^/$model weft /p"
    "$jax" "$here/sequence_models.py" time jax $model "$data"
    "$torch" "$here/sequence_models.py" time torch $model "$data"
    "$torch" "$here/sequence_models.py" time torch.compile $model "$data"
  done
done
