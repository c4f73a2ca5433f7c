#!/usr/bin/env bash
# usage: run_ci_fuzzers.sh BUILD [SECONDS]     the fuzzers that need no other build: programs and texts side by side, each for SECONDS
# (default 60), then Julia sources for a few.
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
"$build/weft_fuzz_julia" --seconds "$((seconds < 10 ? seconds : 10))" --seed "$seed" --out "$build" tests && julia=0 || julia=$?
wait "$programs" && [[ $texts -eq 0 && $julia -eq 0 ]]
