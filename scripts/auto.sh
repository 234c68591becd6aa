#!/usr/bin/env bash
# `auto` beside the two engines that it chooses between, in CPU seconds of one worker: every row of programs/counts/TABLE and the
# larger ones of the published figures. It must not take more than twice as long as the better of the two, where that takes
# long enough to matter. Prints a table in Markdown; the exit code is 1 if a row is beyond that.
#
#   scripts/auto.sh > docs/results/auto.md
set -euo pipefail
cd "$(dirname "$0")/.."
tb=$(realpath "${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}")
cd programs/counts

limit=${LIMIT:-20}  # seconds, for one engine
matters=0.05        # below that a row does not matter
rounds=${ROUNDS:-3} # the least of so many counts: others who use the machine only add to it

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

# The least of what was measured before and what is measured now. What has no answer, or takes long, is measured once.
again() {
    local before=$1
    if [[ $before == "- -" ]] || awk -v s="${before% *}" 'BEGIN { exit !(s > 2) }'; then
        echo "$before"
    else
        printf '%s\n%s\n' "$before" "$(seconds "${@:2}")" | sort -g | grep -v '^-' | head -1
    fi
}

cat <<EOF
# \`auto\` beside the engines that it chooses between

CPU seconds of one worker, without clang, the least of $rounds runs by turns; \`-\` had no answer within $limit s. The ratio is that of \`auto\` to the better of the two, which must
not be above 2 where the better one takes longer than $matters s. \`scripts/auto.sh\` measures it anew.

| program | flags | optimal | graph | auto | ratio | chosen |
|---|---|---|---|---|---|---|
EOF
beyond=0
while IFS='|' read -r file flags options; do
    optimal=$(seconds optimal "$file" "$flags" "$options")
    graph=$(seconds graph "$file" "$flags" "$options")
    auto=$(seconds auto "$file" "$flags" "$options")
    for ((round = 1; round < rounds; round++)); do
        optimal=$(again "$optimal" optimal "$file" "$flags" "$options")
        graph=$(again "$graph" graph "$file" "$flags" "$options")
        auto=$(again "$auto" auto "$file" "$flags" "$options")
    done
    read -r optimal _ <<<"$optimal"
    read -r graph _ <<<"$graph"
    read -r auto chosen <<<"$auto"
    awk -v file="$file" -v flags="$flags $options" -v o="$optimal" -v g="$graph" -v a="$auto" -v chosen="$chosen" -v matters="$matters" '
        function shown(x) { return x == "-" ? x : sprintf("%.3f", x) }
        BEGIN {
            better = o == "-" ? g : (g == "-" || o + 0 < g + 0) ? o : g
            known = better != "-" && a != "-"
            matter = known && better + 0 > matters
            ratio = !known ? "-" : matter ? sprintf("%.2f", a / better) : "does not matter"
            sub(/ +$/, "", flags)
            printf "| %s | `%s` | %s | %s | %s | %s | %s |\n", file, flags, shown(o), shown(g), shown(a), ratio, chosen
            exit (better != "-" && a == "-") || (matter && a / better > 2)
        }' || beyond=1
done < <(rows)
exit $beyond
