#!/usr/bin/env bash
# `auto` beside the two engines that it chooses between, in CPU seconds of one worker: every row of programs/counts/TABLE and the
# larger ones of the published figures, and some for which `graph` is the better one. It must not take more than twice as long as the better of the two, where that takes
# long enough to matter. Prints a table in Markdown; the exit code is 1 if a row is beyond that.
#
#   scripts/auto.sh > docs/results/auto.md
set -euo pipefail
cd "$(dirname "$0")/.."
tb=$(realpath "${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}")
cd programs/counts

limit=${LIMIT:-20}  # seconds, for one engine
matters=0.05        # below that a row does not matter
rounds=${ROUNDS:-9} # for rows that matter

# File, flags and options; the deadlocking ones stop at the first bug.
rows() {
    awk -F'\t' 'NR > 1 { gsub(/--strategy optimal|--max-bugs all/, "", $5); print $1 "|" $2 "|" $5 }' TABLE
    cat <<'EOF'
readers.c|-DN=15|
lastzero.c|-DN=12|
lastzero.c|-DN=13|
filesystem.c|-DN=22|
filesystem.c|-DN=26|
mutex_counter.c|-DN=12|
spin_barrier.c|-DN=6|
pthread_barrier.c|-DN=8 -DS=2|
philosophers.c|-DN=10 -DORDERED|
philosophers.c|-DN=12 -DORDERED|
philosophers.c|-DN=14 -DORDERED|
fib_bench.c|-DN=7|
increments.c|-DN=6|
peterson.c|-DK=20|
ticks.c|-DN=2 -DK=400|
ticks.c|-DN=3 -DK=60|
ticks.c|-DN=5 -DK=8|
spin_locks.c|-DN=11 -DTRYLOCK|
writers.c|-DN=12|
bounded_buffer.c|-DP=3 -DC=3 -DPUT=2|
EOF
}

number() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" <<<"$2"; }
word() { sed -n "s/.*\"$1\":\"\([a-z]*\)\".*/\1/p" <<<"$2"; }

# The CPU seconds of one search, and the engine that answered; a dash if it has no answer in time.
seconds() {
    local strategy=$1 file=$2 flags=$3 options=$4 result
    # shellcheck disable=SC2086 # several words each
    result=$("$tb" check "$file" --format json --jobs 1 --strategy "$strategy" --time-limit "$limit" $options -- $flags || true)
    case $(word verdict "$result") in
        proved | violated) echo "$(number cpu_seconds "$result") $(word strategy "$result")" ;;
        *) echo "- -" ;;
    esac
}

# The one in the middle of some numbers, one a line.
median() { sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

cat <<EOF
# \`auto\` beside the engines that it chooses between

CPU seconds of one worker, without clang; \`-\` had no answer within $limit s. The ratio is that of \`auto\` to the better of the two, which must not be above 2 where the better one takes
longer than $matters s. There the two are run $rounds times by turns, and the ratio is the one in the middle of those of neighbours: the speed of a machine that is shared changes within minutes,
for both alike. \`scripts/auto.sh\` measures it anew.

| program | flags | optimal | graph | auto | ratio | chosen |
|---|---|---|---|---|---|---|
EOF
beyond=0
while IFS='|' read -r file flags options; do
    optimal=$(seconds optimal "$file" "$flags" "$options")
    graph=$(seconds graph "$file" "$flags" "$options")
    auto=$(seconds auto "$file" "$flags" "$options")
    read -r optimal _ <<<"$optimal"
    read -r graph _ <<<"$graph"
    read -r auto chosen <<<"$auto"
    better=$(printf '%s optimal\n%s graph\n' "$optimal" "$graph" | { grep -v '^-' || true; } | sort -g | head -1)
    ratio="does not matter"
    if [[ -z $better || $auto == - ]]; then
        ratio=-
        [[ -z $better ]] || beyond=1
    elif awk -v s="${better% *}" -v matters="$matters" 'BEGIN { exit !(s > matters) }'; then
        engine=${better#* }
        pairs=""
        for ((round = 0; round < rounds; round++)); do
            read -r one _ <<<"$(seconds "$engine" "$file" "$flags" "$options")"
            read -r other chosen <<<"$(seconds auto "$file" "$flags" "$options")"
            pairs+="$one $other"$'\n'
        done
        printf -v "$engine" %s "$(cut -d' ' -f1 <<<"${pairs%$'\n'}" | median)"
        auto=$(cut -d' ' -f2 <<<"${pairs%$'\n'}" | median)
        ratio=$(awk 'NF == 2 { printf "%.2f\n", $2 / $1 }' <<<"$pairs" | median)
        if awk -v s="${!engine}" -v matters="$matters" 'BEGIN { exit !(s <= matters) }'; then
            ratio="does not matter"
        elif awk -v ratio="$ratio" 'BEGIN { exit !(ratio > 2) }'; then
            beyond=1
        fi
    fi
    shown() { if [[ $1 == - ]]; then echo -; else printf %.3f "$1"; fi; }
    echo "| $file | \`$(echo "$flags $options" | sed 's/ *$//')\` | $(shown "$optimal") | $(shown "$graph") | $(shown "$auto") | $ratio | $chosen |"
done < <(rows)
exit $beyond
