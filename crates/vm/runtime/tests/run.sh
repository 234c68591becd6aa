#!/bin/bash
# Tests the C runtime natively against glibc, twice: as the product compiles it, and with the sanitizers.
#
#   run.sh [SUITE]      FACTOR=10 for ten times as many random cases, SEED=n for others, KEEP=dir to keep the binaries
#
# Needs clang-19 and what it links with. Every public symbol of the runtime is renamed to tb_<name>, so that both
# libraries live in one process; world.c stands in for the machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
runtime=$here/..
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
cc=${CC:-clang-19}

# The threads and the mathematics have their own tests.
sources=(abort compat ctype env err errno exit getopt locale malloc multibyte path printf printf_family printf_float
         rand scanf search select signal sink sort stdin stdio stdlib strftime string strsignal strto strto_float time
         unistd wchar wctype wstdio)

build() { # name, extra flags
    local dir=$work/$1
    shift
    mkdir -p "$dir"
    for s in "${sources[@]}"; do
        "$cc" -std=gnu17 -O1 -g -ffreestanding -fno-builtin -fno-vectorize -fno-slp-vectorize -fno-strict-aliasing \
            -Wall -Wextra -Werror "$@" -c "$runtime/$s.c" -o "$dir/$s.o"
    done
    # Ours are the symbols that some file defines.
    for s in "${sources[@]}"; do nm --defined-only -g "$dir/$s.o"; done | awk '$2 ~ /[A-Z]/ && $3 !~ /^(__asan|__ubsan|__odr_asan)/ {print $3, "tb_" $3}' | sort -u >"$dir/renames"
    for s in "${sources[@]}"; do objcopy --redefine-syms="$dir/renames" "$dir/$s.o"; done
    for t in "$here"/libc/*.c; do
        "$cc" -std=gnu17 -O1 -g -fno-builtin -Wall -Wextra "$@" -c "$t" -o "$dir/test_$(basename "$t" .c).o"
    done
    "$cc" "$@" "$dir"/*.o -o "$dir/run" -lm
}

build plain
build sanitized -fsanitize=address,undefined -fno-sanitize-recover=undefined
status=0
"$work/plain/run" "$@" || status=1
echo "with sanitizers:"
FACTOR=${FACTOR:-0.1} ASAN_OPTIONS=detect_leaks=0 "$work/sanitized/run" "$@" || status=1
exit $status
