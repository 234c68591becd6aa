#!/usr/bin/env bash
# Speed of the VM against LLVM's own interpreter, on the same LLVM IR.
#
#   scripts/bench-vm.sh [KERNEL…]        default: all of bench/vm/*.c
#
# Each kernel is compiled once to IR the way `threadbare run` does it; lli and Threadbare both read that file, and so
# does clang for the native time. Times are processor seconds (user + system) of the whole process, start-up included;
# the runs are interleaved and the least of RUNS (default 3) counts. SCALE (default 4) multiplies the work, so that the
# start-up hardly counts. Threadbare runs as it always does: every access checked, every write in the undo log. Outputs
# must be equal. Results go to target/bench-vm.tsv too.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
TB=${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}
RUNS=${RUNS:-3}
SCALE=${SCALE:-4}
goal=15
work=target/bench-vm
table=target/bench-vm.tsv

die() {
    printf 'bench-vm: %s\n' "$*" >&2
    exit 2
}

command -v lli-19 >/dev/null || die "lli-19 is missing: scripts/setup.sh bench installs it"
for tool in clang-19 opt-19; do
    command -v $tool >/dev/null || die "$tool is missing: scripts/setup.sh installs it"
done
[[ -x $TB ]] || die "$TB is not there: make build makes it"

kernels=("$@")
if [[ $# -eq 0 ]]; then
    for file in bench/vm/*.c; do
        file=${file##*/}
        kernels+=("${file%.c}")
    done
fi

rm -rf "$work"
mkdir -p "$work"
# The start-up alone, to see what share of the times it has.
echo 'int main(void) { return 0; }' >"$work/nothing.c"

# lli has no fused multiply-add: it is switched off for all three.
for kernel in "${kernels[@]}" nothing; do
    source=bench/vm/$kernel.c
    [[ $kernel != nothing ]] || source=$work/nothing.c
    [[ -e $source ]] || die "there is no kernel '$kernel' in bench/vm"
    clang-19 -O0 -g -Xclang -disable-O0-optnone -ffp-contract=off -DSCALE="$SCALE" -S -emit-llvm "$source" -o "$work/$kernel.raw.ll"
    opt-19 -S -passes=mem2reg,simplifycfg "$work/$kernel.raw.ll" -o "$work/$kernel.ll"
    clang-19 -w -O0 "$work/$kernel.ll" -o "$work/$kernel.exe" -lm
done

# Runs kernel $1 by the command that follows its label $2; adds its CPU time to the list, stops when it fails.
run() {
    local out=$work/$1.$2.out kernel=$1 label=$2 code=0 TIMEFORMAT='%U %S'
    shift 2
    { time "$@" >"$out" 2>"$out.err" || code=$?; } 2>"$work/time"
    [[ $code -eq 0 ]] || die "$label ends with $code on $kernel: $(head -n 5 "$out.err")"
    awk '{ printf "%.3f\n", $1 + $2 }' "$work/time" >>"$work/$kernel.$label.times"
}
least() { sort -n "$work/$1.$2.times" | head -n 1; }

for ((i = 1; i <= RUNS; i++)); do
    for kernel in "${kernels[@]}" nothing; do
        [[ ! -t 1 ]] || printf '\r\e[Krun %d of %d: %s' "$i" "$RUNS" "$kernel"
        run "$kernel" native "$work/$kernel.exe"
        run "$kernel" lli lli-19 -force-interpreter "$work/$kernel.ll"
        run "$kernel" threadbare "$TB" run --step-limit 100000000000 "$work/$kernel.ll"
        for label in lli threadbare; do
            cmp -s "$work/$kernel.native.out" "$work/$kernel.$label.out" || die "$label gives another output on $kernel"
        done
    done
done
[[ ! -t 1 ]] || printf '\r\e[K'

printf 'kernel\tnative_s\tlli_s\tthreadbare_s\tratio\n' >"$table"
for kernel in "${kernels[@]}"; do
    awk -v k="$kernel" -v n="$(least "$kernel" native)" -v l="$(least "$kernel" lli)" -v t="$(least "$kernel" threadbare)" \
        'BEGIN { printf "%s\t%.3f\t%.3f\t%.3f\t%.1f\n", k, n, l, t, l / (t > 0 ? t : 0.001) }' >>"$table"
done
awk -F '\t' -v start_lli="$(least nothing lli)" -v start_tb="$(least nothing threadbare)" -v goal="$goal" '
    NR == 1 { printf "%-14s %10s %10s %14s %8s\n", "kernel", "native s", "lli s", "threadbare s", "ratio"; next }
    {
        printf "%-14s %10s %10s %14s %7.1fx\n", $1, $2, $3, $4, $5
        ratio += log($5); without += log(($3 - start_lli) / ($4 > start_tb ? $4 - start_tb : 0.001)); n++
    }
    END {
        printf "geometric mean of the ratios: %.1fx (goal: %d or more)\n", exp(ratio / n), goal
        printf "start-up in these times: lli %.3f s, threadbare %.3f s; without it the mean is %.1fx\n",
            start_lli, start_tb, exp(without / n)
    }' "$table"
