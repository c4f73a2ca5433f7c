#!/usr/bin/env bash
# usage: run_ci_fuzzers.sh BUILD [SECONDS]     both fuzzers that need no other build, side by side, each for SECONDS (default 60)
# The seed is the number of commits, so that each change meets other programs and a failure can be had again. Texts come from the
# tests and, where a corpus test has unpacked it, from the corpora. A finding is made small and left in BUILD.
set -uo pipefail
build=$1 seconds=${2:-60}
seed=$(($(git rev-list --count HEAD 2>/dev/null || echo 1) * 1000000))
folders=(tests)
[[ -d $build/corpus/cases ]] && folders+=("$build/corpus/cases")
"$build/weft_fuzz_programs" --seconds "$seconds" --seed "$seed" --out "$build" &
programs=$!
"$build/weft_fuzz_texts" --seconds "$seconds" --seed "$seed" --out "$build" "${folders[@]}" && texts=0 || texts=$?
wait "$programs" && [[ $texts -eq 0 ]]
