#!/bin/bash
# Tests the C runtime natively against glibc, three times: as the product compiles it, and with fewer random cases under
# the sanitizers for addresses and undefined behaviour, and for uninitialised memory.
#
#   run.sh [SUITE]      FACTOR=10 for ten times as many random cases, SEED=n for others, KEEP=dir to keep the binaries
#
# Needs clang-19 and what it links with. Every public symbol of the runtime is renamed to tb_<name>, so that both
# libraries live in one process; libc/world.c stands in for the machine. The threads and the mathematics have their own
# tests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
runtime=$here/..
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
cc=${CC:-clang-19}

sources=(abort calendar clock compat ctype descriptor env err errno exit file_name file_node file_redirect file_stat
         file_stream file_table file_temporary getopt hsearch invocation locale malloc mapping
         multibyte path position printf printf_family printf_float rand scanf search select signal sink sleep sort stdin stdio
         stdlib strftime strptime string strsignal strto strto_float unistd wchar wctype wstdio)
flags=(-std=gnu17 -O1 -g -ffreestanding -fno-builtin -fno-vectorize -fno-slp-vectorize -fno-strict-aliasing
       -Wall -Wextra -Werror)

build() { # name, further flags
    local dir=$work/$1 s
    shift
    rm -rf "$dir"
    mkdir -p "$dir"
    printf '%s\n' "${sources[@]}" | xargs -P 2 -I{} "$cc" "${flags[@]}" "$@" -c "$runtime/{}.c" -o "$dir/{}.o"
    # Ours are the symbols that some file defines; a name of one file may be used in another.
    for s in "${sources[@]}"; do nm --defined-only -g "$dir/$s.o"; done |
        awk '$2 ~ /[A-Z]/ && $3 !~ /^__(asan|msan|ubsan|odr_asan)/ { print $3, "tb_" $3 }' | sort -u >"$dir/renames"
    for s in "${sources[@]}"; do objcopy --redefine-syms="$dir/renames" "$dir/$s.o"; done
    for s in "$here"/libc/*.c; do basename "$s" .c; done |
        xargs -P 2 -I{} "$cc" -std=gnu17 -O1 -g -fno-builtin -Wall -Wextra "$@" -c "$here/libc/{}.c" -o "$dir/test_{}.o"
    "$cc" "$@" "$dir"/*.o -o "$dir/run" -lm
}

# Runs one build, shows what it prints, and adds its last line to the totals.
passed=0 failed=0
run() { # name, share of the random cases, suite
    local factor line
    factor=$(awk -v a="${FACTOR:-1}" -v b="$2" 'BEGIN { print a * b }')
    echo "$1:"
    FACTOR=$factor ASAN_OPTIONS=detect_leaks=0 "$work/$1/run" "${@:3}" >"$work/log" 2>&1 || true
    grep -v 'WARNING: unexpected format specifier' "$work/log" || true
    line=$(tail -n 1 "$work/log")
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else # it crashed, or a sanitizer stopped it
        failed=$((failed + 1))
    fi
}

build plain
build addresses -fsanitize=address,undefined -fno-sanitize-recover=undefined
build memory -fsanitize=memory
run plain 1 "$@"
run addresses 0.1 "$@"
run memory 0.1 "$@"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
