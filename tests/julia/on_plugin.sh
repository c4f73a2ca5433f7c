#!/usr/bin/env bash
# usage: on_plugin.sh WEFT BUILD PROGRAM
# Runs a Julia program whose compiled functions go to a PJRT plugin for this CPU: WEFT_PJRT_PLUGIN, or what lies in BUILD/plugins. 77 (skipped)
# where there is none.
set -euo pipefail
plugin=${WEFT_PJRT_PLUGIN:-$(find -L "$2/plugins" -name pjrt_c_api_cpu_plugin.so 2> /dev/null | head -n 1)}
[[ -n "$plugin" ]] || exit 77
exec "$1" run --compile=always --target "pjrt:$plugin" "$3"
