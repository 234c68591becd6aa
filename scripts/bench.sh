#!/usr/bin/env bash
# The speed of the search: programs with known numbers of executions, beside the published figures of GenMC 0.11 (-sc) and
# Nidhugg 0.4 (-sc -optimal), in CPU seconds of one thread on a machine like the ones that this was written on. A ratio is
# theirs divided by ours. Then those that store states: how many there are, how fast they come, and what one takes.
set -euo pipefail
cd "$(dirname "$0")/.."
tb=$(realpath "${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}")
cd programs/counts

# file, flags, seconds of GenMC and of Nidhugg
programs='
fib_bench.c|-DN=5 -DREADER|2.80|26.8
readers.c|-DN=13|-|2.83
readers.c|-DN=15|1.90|-
lastzero.c|-DN=12|-|8.77
lastzero.c|-DN=13|3.06|-
indexer.c|-DN=15|3.77|7.1
filesystem.c|-DN=22|1.55|1.59
peterson.c|-DK=5|12.7|31.2
spin_locks.c|-DN=8 -DTICKET|13.2|15.6
mutex_counter.c|-DN=8|9.3|-
spin_barrier.c|-DN=8|13.5|-
'

number() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" <<<"$2"; }

printf '%-14s %-16s %10s %8s %10s %7s  %8s %6s  %8s %6s\n' \
    program flags executions CPU-s exec/s MB GenMC ratio Nidhugg ratio
while IFS='|' read -r file flags genmc nidhugg; do
    [ -n "$file" ] || continue
    # shellcheck disable=SC2086 # several flags
    result=$("$tb" check "$file" --format json --strategy optimal --jobs 1 -- $flags)
    awk -v file="$file" -v flags="$flags" -v n="$(number executions "$result")" -v s="$(number cpu_seconds "$result")" \
        -v bytes="$(number peak_rss_bytes "$result")" -v genmc="$genmc" -v nidhugg="$nidhugg" '
        function ratio(theirs) { return theirs == "-" ? "-" : sprintf("%.1f", theirs / s) }
        BEGIN {
            printf "%-14s %-16s %10d %8.3f %10.0f %7.1f  %8s %6s  %8s %6s\n", file, flags, n, s, n / s, bytes / 1e6,
                genmc, ratio(genmc), nidhugg, ratio(nidhugg)
        }'
done <<<"$programs"

# The same for searches that store states: file, flags, and seconds of who does best elsewhere (GenMC 0.11, or SPIN 6.5.2 with its
# reduction on a model of the program).
stored='
mutex_counter.c|-DN=8|9.3 GenMC
mutex_counter.c|-DN=12|28 SPIN
spin_barrier.c|-DN=6|-
spin_barrier.c|-DN=8|13.5 GenMC
pthread_barrier.c|-DN=8 -DS=2|-
philosophers.c|-DN=10 -DORDERED|14.7 SPIN
philosophers.c|-DN=14 -DORDERED|-
ticks.c|-DN=4 -DK=30|-
ticks.c|-DN=4 -DK=56|-
'

printf '\n%-17s %-16s %10s %11s %8s %13s %11s  %s\n' \
    'stored states' flags states transitions CPU-s transitions/s bytes/state elsewhere
while IFS='|' read -r file flags elsewhere; do
    [ -n "$file" ] || continue
    # shellcheck disable=SC2086 # several flags
    result=$("$tb" check "$file" --format json --strategy graph --symmetry=off --jobs 1 -- $flags)
    awk -v file="$file" -v flags="$flags" -v n="$(number states "$result")" -v t="$(number transitions "$result")" \
        -v s="$(number cpu_seconds "$result")" -v kept="$(number bytes_per_state "$result")" -v elsewhere="$elsewhere" '
        BEGIN {
            printf "%-17s %-16s %10d %11d %8.3f %13.0f %11s  %s\n", file, flags, n, t, s, t / s, kept, elsewhere
        }'
done <<<"$stored"

# SPIN on a model of ticks.c, in the same run: machines differ by more than tools do. Without its reduction, which has nothing to
# reduce there; a thread is a process.
command -v spin >/dev/null || exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >ticks.pml <<'EOF'
int ticks;
active [4] proctype count() {
    byte i = 0;
    do
    :: atomic { i < 56 -> ticks++; i++ }
    :: i == 56 -> break
    od
}
EOF
spin -a ticks.pml >/dev/null
clang-19 -O2 -w -DSAFETY -DNOREDUCE -DMEMLIM=16000 -o pan pan.c
{ time -p ./pan -m100000 -w24 >pan.out; } 2>time.out
awk '/states, stored/ { n = $1 } / transitions / { t = $1 } /equivalent memory/ { bytes = $1 * 1048576 } /^(user|sys)/ { s += $2 }
    END { printf "%-17s %-16s %10d %11d %8.3f %13.0f %11.0f  %s\n", "ticks, SPIN", "4 × 56", n, t, s, t / s, bytes / n, "-" }' pan.out time.out
