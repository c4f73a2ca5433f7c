#!/usr/bin/env bash
# usage: run_fuzzers.sh DIR [SECONDS]     runs each fuzzer in DIR for SECONDS (default 60); a crash ends it with its input's name.
# Then the fuzzers of whole programs and of damaged programs in DIR/.., built with the same sanitizers.
set -euo pipefail
dir=$1 seconds=${2:-60}
for fuzzer in "$dir"/*_fuzz; do
  corpus="$dir/corpus/$(basename "$fuzzer")"
  mkdir -p "$corpus"
  "$fuzzer" -max_total_time="$seconds" -artifact_prefix="$dir/" "$corpus"
done
"$dir/../weft_fuzz_programs" --seconds "$seconds" --out "$dir"
"$dir/../weft_fuzz_texts" --seconds "$seconds" --out "$dir" tests
"$dir/../weft_fuzz_julia" --seconds "$seconds" --out "$dir" tests
