#!/usr/bin/env bash
# usage: test_modes.sh WEFT FOLDER...     runs every program and record below the folders under every mode of `weft test`: one line a mode,
# and what a mode alone fails or skips. Modes differ in how a program is run, never in what it gives: any difference from the plain run is
# a failure. WEFT_TARGETS (default "eval native") and WEFT_MODES (default all) choose; WEFT_JOBS processes (default: cores).
set -euo pipefail
weft=$1; shift
jobs=${WEFT_JOBS:-$(nproc)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Of each record that did not pass: its name and verdict, without the reason, which may name what the mode changed.
verdicts() { sed -n 's/^\(FAIL\|skip\) \([^: ]*\).*/\2 \1/p' "$1" | sort; }
failed=0
for target in ${WEFT_TARGETS:-eval native}; do
  for mode in ${WEFT_MODES:-$("$weft" test --list-modes --target "$target")}; do
    for folder in "$@"; do
      out=$scratch/$target.$mode.$(echo "$folder" | tr / _)
      plain=$scratch/$target.default.$(echo "$folder" | tr / _)
      [ -f "$plain" ] || "$weft" test "$folder" --target "$target" --verbose --jobs "$jobs" > "$plain" || true
      [ "$mode" = default ] || "$weft" test "$folder" --target "$target" --mode "$mode" --verbose --jobs "$jobs" > "$out" || true
      echo "$target, $mode, $folder: $(tail -n 1 "$out")"
      tail -n 1 "$out" | grep -q ' passed, ' || { echo "  did not end"; failed=1; }
      verdicts "$plain" > "$scratch/expected"
      verdicts "$out" > "$scratch/got"
      if comm -13 "$scratch/expected" "$scratch/got" > "$scratch/new" && [ -s "$scratch/new" ]; then
        failed=1
        while read -r name verdict; do grep -m 1 -F "$verdict $name" "$out" | cut -c1-300 | sed 's/^/  /'; done < "$scratch/new"
      fi
    done
  done
done
exit $failed
