#!/usr/bin/env bash
# Shows `threadbare run` on the programs of examples/. A program with a bug must be caught, or the demo fails.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
TB=${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}

# Runs `threadbare run` with these arguments and sets `code`.
show() {
    printf '\n$ threadbare run %s\n' "$*"
    code=0
    "$TB" run "$@" 2>&1 || code=$?
    echo "(exit code $code)"
}
fail() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

echo "A work queue: a producer, a bounded buffer, three workers. Another seed is another schedule; the sum stays."
for seed in 1 2; do
    show --seed $seed examples/workqueue.c
    [[ $code -eq 0 ]] || fail "examples/workqueue.c should have run well"
done

for bug in use_after_free deadlock; do
    case $bug in
        use_after_free) printf '\nThe worker frees the job, then the main thread reads the answer from it:\n' ;;
        deadlock) printf '\nEvery philosopher holds a fork and waits for the next one:\n' ;;
    esac
    show examples/$bug.c
    # 0: the bug was not seen; 2, 3, 70, 101, 125: we could not do our work
    case $code in
        0) fail "the bug of examples/$bug.c was not found" ;;
        2 | 3 | 70 | 101 | 125) fail "examples/$bug.c could not be run" ;;
    esac
done
echo
