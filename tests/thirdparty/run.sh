#!/usr/bin/env bash
# Code that nobody here wrote: zlib, bzip2, LZ4 and SQLite give the same output on the VM as on the hardware.
#
#   tests/thirdparty/run.sh [NAME…]      of sqlite sqlite-threads zlib bzip2 lz4; without a name: all
#
# The sources are those that some crates carry; cargo fetches them into target/thirdparty/, nothing is copied into the
# repository and no crate is built. The drivers next to this script are ours. Environment: TB (the binary, default
# target/release/threadbare), JOBS (how many at once, default the number of processors), LIMIT (seconds a run, 900).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=tests/thirdparty
work=target/thirdparty
TB=${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}
JOBS=${JOBS:-$(nproc)}
LIMIT=${LIMIT:-900}
export TB LIMIT
all=(sqlite sqlite-threads zlib bzip2 lz4)

die() {
    printf 'thirdparty: %s\n' "$*" >&2
    exit 2
}

# Sets `sources` and `flags` of the program $1.
describe() {
    local from=$work/vendor file
    case $1 in
        zlib)
            sources=("$here/zlib.c")
            for file in adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil; do
                sources+=("$from/libz-sys/src/zlib/$file.c")
            done
            flags=(-I"$from/libz-sys/src/zlib" -DHAVE_UNISTD_H -DMY_ZCALLOC)
            ;;
        bzip2)
            sources=("$here/bzip2.c")
            for file in blocksort huffman crctable randtable compress decompress bzlib; do
                sources+=("$from/bzip2-sys/bzip2-1.0.8/$file.c")
            done
            flags=(-I"$from/bzip2-sys/bzip2-1.0.8" -DBZ_NO_STDIO)
            ;;
        lz4)
            sources=("$here/lz4.c")
            for file in lz4 lz4hc lz4frame xxhash; do
                sources+=("$from/lz4-sys/liblz4/lib/$file.c")
            done
            flags=(-I"$from/lz4-sys/liblz4/lib")
            ;;
        sqlite | sqlite-threads)
            sources=("$here/sqlite.c" "$from/libsqlite3-sys/sqlite3/sqlite3.c")
            flags=(-I"$from/libsqlite3-sys/sqlite3" -DSQLITE_OS_OTHER=1 -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_WAL
                -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS)
            if [[ $1 == sqlite ]]; then
                flags+=(-DSQLITE_THREADSAFE=0 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE)
            else
                flags+=(-DSQLITE_THREADSAFE=1 -DWITH_THREADS)
            fi
            ;;
        *) die "there is no program '$1'; there are: ${all[*]}" ;;
    esac
}

# Runs a command, stdout into $1, stderr into $1.err, its exit code and CPU seconds into $1.code and $1.seconds.
measure() {
    local out=$1 code=0 TIMEFORMAT='%U %S'
    shift
    { time timeout "$LIMIT" "$@" >"$out" 2>"$out.err" || code=$?; } 2>"$out.time"
    echo "$code" >"$out.code"
    tail -n 1 "$out.time" | awk '{ printf "%.2f\n", $1 + $2 }' >"$out.seconds"
    rm "$out.time"
}

# One program at one level, natively and on the VM: one line of result.
one() {
    local name=$1 level=$2 out=$work/out/$1-O$2 sources flags code seconds
    describe "$name"
    # The native answer changes only with what it is made of.
    if [[ ! -e $out.native.code || -n $(find "$here" "$work/vendor.lock" -newer "$out.native.code" -print -quit) ]]; then
        rm -f "$out.native.code"
        clang-19 "-O$level" -w "${flags[@]}" "${sources[@]}" -o "$out.exe" -pthread -lm
        measure "$out.native" "$out.exe"
    fi
    if [[ $(<"$out.native.code") -ne 0 ]]; then
        printf 'FAILED  %-15s -O %s  the native run ends with %s, see %s\n' "$name" "$level" "$(<"$out.native.code")" "$out.native"
        return
    fi
    local command=("$TB" run -O "$level" --step-limit 100000000000 "${sources[@]}" -- -w "${flags[@]}")
    measure "$out.vm" "${command[@]}"
    code=$(<"$out.vm.code")
    printf -v seconds 'native %6s s   vm %7s s (with compiling)' "$(<"$out.native.seconds")" "$(<"$out.vm.seconds")"
    if [[ $code -eq 0 ]] && cmp -s "$out.native" "$out.vm"; then
        printf 'ok      %-15s -O %s  %4d lines   %s\n' "$name" "$level" "$(wc -l <"$out.vm")" "$seconds"
        return
    fi
    printf 'FAILED  %-15s -O %s  exit code %s   %s\n' "$name" "$level" "$code" "$seconds"
    printf '        again with: %s\n' "${command[*]}"
    [[ $code -ne 124 ]] || printf '        stopped after %s seconds\n' "$LIMIT"
    head -n 12 "$out.vm.err" | sed 's/^/        | /'
    diff "$out.native" "$out.vm" | head -n 12 | sed 's/^/        /' || true
}

if [[ ${1:-} == --one ]]; then
    one "$2" "$3"
    exit
fi

[[ $# -gt 0 ]] || set -- "${all[@]}"
for name in "$@"; do describe "$name"; done
command -v clang-19 >/dev/null || die "clang-19 is missing: scripts/setup.sh installs it"
[[ -x $TB ]] || die "$TB is not there: make build makes it"

mkdir -p "$work/out"
if ! cmp -s "$here/Cargo.lock" "$work/vendor.lock"; then
    echo "fetching the sources with cargo into $work/vendor"
    cargo vendor --quiet --locked --respect-source-config --manifest-path "$here/Cargo.toml" "$work/vendor" >/dev/null
    cp "$here/Cargo.lock" "$work/vendor.lock"
fi

# The long ones come first, so that the processors end together.
total=$((2 * $#))
for level in 2 0; do
    for name in "$@"; do printf '%s %s\n' "$name" "$level"; done
done | xargs -P "$JOBS" -L 1 "$here/run.sh" --one | tee "$work/results" || true

# Whatever left no good word has failed.
passed=$(grep -c '^ok ' "$work/results" || true)
echo "thirdparty: $passed passed, $((total - passed)) failed"
[[ $passed -eq $total ]]
