#!/usr/bin/env bash
# Shows `threadbare check` on the programs of examples/: bugs that it finds, and a proof. A verdict other than the one
# that is due fails the demo.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
TB=${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}

# show CODE ARGUMENTS…: runs `threadbare` with the arguments, which must end with that exit code.
show() {
    local due=$1 code=0
    shift
    printf '\n$ threadbare %s\n' "$*"
    "$TB" "$@" || code=$?
    if [[ $code -ne $due ]]; then
        printf 'demo: exit code %s, but %s is due\n' "$code" "$due" >&2
        exit 1
    fi
}
say() { printf '\n== %s\n' "$*"; }

trace=$(mktemp --suffix=.trace)
trap 'rm -f "$trace"' EXIT

say "Two threads count, and one count is lost. The schedule, one lane a thread:"
show 1 check examples/counter.c --trace "$trace"

say "The same schedule again, every step of it:"
show 1 replay --full "$trace"

say "Every philosopher holds a fork and waits for the next one:"
show 1 check examples/deadlock.c

say "A work queue: a producer, a bounded buffer, two workers. Every schedule that matters, and a proof:"
show 0 check examples/workqueue.c --args 2 2
echo
