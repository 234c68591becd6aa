#!/usr/bin/env bash
# Builds NuSMV 2.5.4, another opinion on the models that `threadbare syn smv` writes: target/nusmv/NuSMV. Debian has no package of it; its
# sources come with the Python package pynusmv.
#
#   scripts/nusmv.sh        `make fuzz-nusmv` does, and then asks it
#
# Running it again when it is there does nothing.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/target/nusmv
[[ ! -x $out/NuSMV ]] || exit 0
for command in flex bison m4 patch make gcc pip3; do
    command -v "$command" >/dev/null || { printf 'nusmv: %s is missing\n' "$command" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
quietly() { "$@" >"$log" 2>&1 </dev/null || { tail -n 30 "$log" >&2; printf 'nusmv: %s failed\n' "$1" >&2; exit 1; }; }

cd "$work"
printf 'nusmv: the sources\n'
quietly pip3 download --no-deps pynusmv==1.0rc8
tar xzf pynusmv-*.tar.gz
cd pynusmv-*/dependencies/NuSMV
tar xzf NuSMV-2.5.4.tar.gz
quietly patch -p0 -N -i cudd.patch
# Of 2011: a type that libc no longer has, and definitions in headers.
sed -i 's/union wait status;/int status;/' NuSMV-2.5.4/cudd-2.4.1.1/util/pipefork.c
cd NuSMV-2.5.4/nusmv
printf 'nusmv: compiling, which takes some minutes\n'
CFLAGS="-O2 -fcommon -w -std=gnu89" quietly ./configure --disable-minisat --disable-zchaff
quietly make
mkdir -p "$out"
cp NuSMV "$out/NuSMV"
printf 'nusmv: %s\n' "${out#"$root"/}/NuSMV"
