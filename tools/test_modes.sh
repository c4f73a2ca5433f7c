#!/usr/bin/env bash
# usage: test_modes.sh WEFT FOLDER...     runs every text program below the folders under every target and every mode that `weft test` knows
set -euo pipefail
weft=$1; shift
failed=0
for target in eval native; do
  for mode in $("$weft" test --list-modes --target "$target"); do
    echo "== $target, $mode"
    "$weft" test "$@" --target "$target" --mode "$mode" || failed=1
  done
done
exit $failed
