#!/usr/bin/env bash
# Makes sure that what Threadbare needs besides Rust is there, and installs by apt-get what is not.
#
#   scripts/setup.sh [base] [fuzz] [bench] [graph] [logic] [nusmv] [sanitizers]        without a group: base
#
# base   clang, opt and llvm-dis 19, the C library's headers, a linker for Rust: to build, run and test
# fuzz   csmith with its headers: `make fuzz-vm`
# bench  lli 19: `make bench-vm`
# graph  Graphviz: pictures of what `threadbare check --dot` writes, and the test that they are well-formed
# logic  SPIN, another opinion on formulas: `make fuzz-logic`
# nusmv  what NuSMV is built with, another opinion on the models of `threadbare syn smv`: `make fuzz-nusmv`
# sanitizers  clang's own, with which the C runtime is tested natively: `make test-runtime`
#
# Running it again when all is there does nothing and takes no time.
set -euo pipefail

say() { printf 'setup: %s\n' "$*"; }
die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# One line for each thing that is needed: how to see that it is there, and the package that brings it.
need_command() { command -v "$1" >/dev/null || missing+=("$1 $2"); }
need_header() { [[ -e $1 ]] || missing+=("${1##*/} $2"); }
# clang gives the whole name of a library that it finds.
need_library() { [[ $(clang-19 -print-file-name="$1" 2>/dev/null) == /* ]] || missing+=("$1 $2"); }

missing=()
[[ $# -gt 0 ]] || set -- base
for group in "$@"; do
    case $group in
        base)
            need_command clang-19 clang-19
            need_command opt-19 llvm-19
            need_command llvm-dis-19 llvm-19
            need_header /usr/include/pthread.h libc6-dev
            need_command cc gcc
            ;;
        fuzz)
            need_command csmith csmith
            need_header /usr/include/csmith/csmith.h libcsmith-dev
            ;;
        bench) need_command lli-19 llvm-19-runtime ;;
        graph) need_command dot graphviz ;;
        logic) need_command spin spin ;;
        nusmv)
            need_command flex flex
            need_command bison bison
            need_command m4 m4
            need_command patch patch
            need_command pip3 python3-pip
            ;;
        sanitizers) need_library libclang_rt.asan-x86_64.a libclang-rt-19-dev ;;
        *) die "there is no group '$group'; the groups are base, fuzz, bench, graph, logic, nusmv and sanitizers" ;;
    esac
done

if [[ $(uname -sm) != "Linux x86_64" ]]; then
    die "Threadbare runs on x86-64 Linux, this is $(uname -sm)"
fi
if ! command -v cargo >/dev/null; then
    die "cargo is missing: install Rust 1.88 or newer from https://rustup.rs and open a new shell"
fi
[[ ${#missing[@]} -gt 0 ]] || exit 0

packages=()
for entry in "${missing[@]}"; do
    package=${entry#* }
    say "${entry% *} is missing: it comes with the package $package"
    [[ " ${packages[*]} " == *" $package "* ]] || packages+=("$package")
done

if ! command -v apt-get >/dev/null; then
    die "there is no apt-get here: install ${packages[*]} (LLVM 19) by the means of your system, then try again"
fi
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || die "not root and no sudo: run as root: apt-get install ${packages[*]}"
    as_root=(sudo "${as_root[@]}")
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Runs a command quietly; its words are shown only when it fails.
quietly() {
    "$@" >"$log" 2>&1 </dev/null || {
        cat "$log" >&2
        return 1
    }
}

say "apt-get update"
quietly "${as_root[@]}" apt-get update || say "the package lists could not be renewed; trying with those that are there"

for package in "${packages[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
        die "apt-get knows no package '$package': Debian 12 has it; add a package source that does, then try again"
    fi
done

say "apt-get install ${packages[*]}"
quietly "${as_root[@]}" apt-get install -y --no-install-recommends "${packages[@]}" ||
    die "apt-get install ${packages[*]} failed"
say "done"
