#!/bin/sh
# Compiles runtime/math.c and runtime/builtins.c natively, with every function renamed to tb_… and the machine's
# natives bound to glibc's functions, and compares them with glibc and libgcc (math_test.c).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for source in math builtins; do
    clang-19 -std=gnu17 -O1 -g -ffreestanding -fno-builtin -fno-vectorize -fno-slp-vectorize -Wall -Wextra -Werror \
        -c "$here/../$source.c" -o "$work/$source.raw.o"
    nm --defined-only --extern-only "$work/$source.raw.o" | awk '{ print $3, "tb_" $3 }' >"$work/names"
    nm --undefined-only "$work/$source.raw.o" | awk '$2 ~ /^__tb_math_/ { print $2, substr($2, 11) }' >>"$work/names"
    echo "__errno_location tb_errno_location" >>"$work/names"
    objcopy --redefine-syms="$work/names" "$work/$source.raw.o" "$work/$source.o"
done
clang-19 -std=gnu17 -O1 -fno-builtin -Wall "$here/math_test.c" "$work/math.o" "$work/builtins.o" -o "$work/test" -lm
"$work/test"
