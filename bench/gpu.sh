#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything worth doing with a GPU, in less than ten minutes.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'EOT'
usage: bench/gpu.sh [OUT]

Builds what is missing and, on the GPU of this machine, runs the golden cases with --backend cuda
(with the reference's help for ops that the backend lacks, and without), a sample of them under
compute-sanitizer, and the bench. Writes to OUT (default: reports/out/gpu):

  machine.txt       card, driver, toolkit, commit
  results.jsonl     the cases           index.html, results.xml
  assisted.jsonl    whole programs, the reference helping
  graph.jsonl       every second run captured and replayed
  sanitizer.txt     memcheck, racecheck, synccheck over a sample
  bench.jsonl       times and rates; copy is the yardstick of memory, mm is cuBLAS

Exit status: 0 all good, 1 failures, 2 set-up, as where there is no GPU.
EOT
}

case "${1-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
out=${1:-reports/out/gpu}
start=$SECONDS
die() {
    printf 'gpu.sh: %s\n' "$*" >&2
    exit 2
}
nvidia=$(command -v nvidia-smi) || die "there is no GPU here: no nvidia-smi"
"$nvidia" -L 2>/dev/null | grep -q . || die "there is no GPU here: nvidia-smi lists none"
command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || die "nvcc is needed to build"
. .ci/setup.sh
configure build -Dbuildtype=release
compile build
ninja -C build cuda bench/gpu >build/cuda.log 2>&1 || die "the build failed; see build/cuda.log"
mkdir -p "$out"
{
    "$nvidia" --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv
    { nvcc --version 2>/dev/null || /usr/local/cuda/bin/nvcc --version; } | tail -n 2
    git rev-parse HEAD 2>/dev/null
} >"$out/machine.txt"
failed=0
step() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2
    shift 2
    printf '%4d s  %s\n' $((SECONDS - start)) "$name"
    timeout "$limit" "$@"
    local status=$?
    [ "$status" = 0 ] || { failed=1; printf 'FAILED (%d): %s\n' "$status" "$name"; }
    return "$status"
}
# One worker: what runs at once on a card is the card's to decide, and start-up is dear.
run=(build/touchstone run --backend cuda --jobs 1 --timeout 20)
step "the cases" 150 "${run[@]}" --json "$out/results.jsonl" --junit "$out/results.xml" \
    --html "$out/index.html"
step "whole programs, assisted" 120 "${run[@]}" --assist --json "$out/assisted.jsonl"
step "graphs" 60 "${run[@]}" --graph --filter '^(add|mul|softmax|sum|layer_norm|mm|copy)/' \
    --json "$out/graph.jsonl"
if sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null); then
    : >"$out/sanitizer.txt"
    for tool in memcheck racecheck synccheck; do
        step "$tool over a sample" 50 "$sanitizer" --tool "$tool" --target-processes all \
            --error-exitcode 9 "${run[@]}" --timeout 120 --shard 1/60 \
            --filter '^(add|mul|softmax|sum|layer_norm|embedding|copy)/' \
            >>"$out/sanitizer.txt" 2>&1
    done
else
    echo "no compute-sanitizer here: left out" | tee "$out/sanitizer.txt"
fi
step "bench" 120 build/bench/gpu build/cuda/libtouchstone_cuda.so >"$out/bench.jsonl"
printf '%4d s  done; results in %s\n' $((SECONDS - start)) "$out"
exit "$failed"
