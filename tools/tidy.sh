#!/usr/bin/env bash
# usage: tidy.sh BUILD_DIR [FILE...]     clang-tidy over FILEs; by default over what differs from $BASE (else over every source)
set -euo pipefail
build=$1; shift
cd "$(dirname "$0")/.."
if [[ $# -gt 0 ]]; then
  files=("$@")
elif [[ -n "${BASE:-}" ]]; then
  mapfile -t files < <(git diff --name-only --diff-filter=d "$BASE" -- 'src/*.cc' 'examples/*.cc')
else
  mapfile -t files < <(git ls-files 'src/*.cc' 'examples/*.cc')
fi
[[ ${#files[@]} -gt 0 ]] || { echo "tidy: no source to check"; exit 0; }
# The compile commands are GCC's; the flags that clang does not know are none of tidy's business.
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(nproc)" -n 2 clang-tidy-19 -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-Wno-unknown-pragmas 2> >(grep -v -E 'warnings? generated|Processing file' >&2)
echo "tidy: ${#files[@]} files clean"
