#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cases on a real GPU, as TAP; skipped, with the reason, where there is none.
# usage: backend.sh TOUCHSTONE
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$1" run --backend cuda --tap=- 2>"$log"
status=$?
if [ "$status" = 2 ] && grep -q 'there is no CUDA device here' "$log"; then
    echo "1..0 # SKIP $(sed -n 's/.*RuntimeError: //p' "$log")"
    exit 0
fi
cat "$log" >&2
exit "$status"
