#!/usr/bin/env bash
# Measures the tables of docs/results anew: in each page, what stands between a comment with a `threadbare compare` command and
# the comment `end` is replaced by what the command prints.
#
#   scripts/tables.sh [PAGE...]        without a page: all of docs/results
set -euo pipefail
cd "$(dirname "$0")/.."

begin='<!-- threadbare compare'
end='<!-- end -->'

[[ $# -gt 0 ]] || set -- docs/results/*.md
for page in "$@"; do
    printf '%s\n' "$page"
    new=$(mktemp)
    command=
    while IFS= read -r line || [[ -n $line ]]; do
        case $command in
            '')
                printf '%s\n' "$line"
                [[ $line != "$begin"* ]] || command=${line#'<!-- threadbare '}
                ;;
            *'-->')
                # The old table: the first line of it that is not skipped is its end.
                [[ $line == "$end" ]] || continue
                printf '    %s\n' "${command%-->}" >&2
                printf '\n'
                # A command has quoted words, like one in a shell.
                eval "$TB ${command%-->} --markdown -"
                printf '\n%s\n' "$end"
                command=
                ;;
            *)
                printf '%s\n' "$line"
                command+=" $line"
                ;;
        esac
    done <"$page" >"$new"
    if [[ -n $command ]]; then
        printf 'tables: %s: a comment with a command has no %s\n' "$page" "$end" >&2
        exit 1
    fi
    cat "$new" >"$page"
    rm -f "$new"
done
