#!/usr/bin/env bash
# usage: run.sh WEFT BUILD_DIR SET FILTER TARGET [OPTION…]     runs programs of a corpus that this project did not write
# The archives lie in $WEFT_CORPUS/conformance, by default in ../shared/conformance beside the checkout; they are unpacked into the
# build folder. Without them the test is skipped (exit 77).
set -euo pipefail
weft=$1 build=$2 set=$3 filter=$4 target=$5 list=known_failures.txt
shift 5
[[ " $* " != *" --derive "* ]] || list=known_failures_derived.txt
corpus=${WEFT_CORPUS:-$(dirname "$0")/../../../shared}
archive=$corpus/conformance/$set-open.tar.xz
if [[ ! -e $archive ]]; then
  echo "no corpus: $archive does not exist; WEFT_CORPUS names the folder that holds conformance/"
  exit 77
fi
mkdir -p "$build/corpus"
exec 9> "$build/corpus/$set.lock"
flock 9
if [[ ! -e $build/corpus/$set.unpacked || $archive -nt $build/corpus/$set.unpacked ]]; then
  tar -xf "$archive" -C "$build/corpus"
  touch "$build/corpus/$set.unpacked"
fi
exec 9>&-
output=$("$weft" test "$build/corpus/$set" --filter "$filter" --target "$target" --jobs 2 "$@") && code=0 || code=$?
printf '%s\n' "$output"
[[ $code -eq 0 || $code -eq 1 ]] || exit "$code"
new=$(printf '%s\n' "$output" | sed -n 's/^FAIL \([^:]*\):.*/\1/p' | while read -r record; do
  grep -Eq "^(any|$target) +$record( |$)" "$(dirname "$0")/$list" || printf '%s\n' "$record"
done)
[[ -z $new ]] || { printf 'not among the known failures: %s\n' $new; exit 1; }
[[ $code -eq 0 ]] || printf '%s\n' "$output" | grep -q '^FAIL ' || exit "$code"
