#!/usr/bin/env bash
# Threaded C that nobody here wrote: c-blosc, Zstandard and liblzma are built with `threadbare cc` and explored, and bugs that
# this script plants in them are found.
#
#   scripts/real.sh [--write] [NAME…]      of blosc zstd lzma; without a name: all
#
# The sources are those that some crates carry; cargo fetches them into target/real/, nothing is copied into the repository. The
# drivers in tests/real/ are ours: each compresses a small input with two threads, and asserts that it comes back. Both backends explore
# it, and have to agree. --write puts the table into docs/results/real.md. Environment: TB (the binary, default
# target/release/threadbare), LIMIT (seconds a check, 600), BACKENDS (vm native).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
here=$PWD/tests/real
work=${CARGO_TARGET_DIR:-target}/real
TB=${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}
LIMIT=${LIMIT:-600}
BACKENDS=${BACKENDS:-vm native}
page=docs/results/real.md

die() {
    printf 'real: %s\n' "$*" >&2
    exit 2
}

write=
if [[ ${1:-} == --write ]]; then
    write=1
    shift
fi
[[ $# -gt 0 ]] || set -- blosc zstd lzma
[[ -x $TB ]] || die "$TB is not there: make build makes it"
TB=$(realpath "$TB")
mkdir -p "$work"
work=$(realpath "$work")

if ! cmp -s "$here/Cargo.lock" "$work/vendor.lock"; then
    echo "fetching the sources with cargo into $work/vendor"
    cargo vendor --quiet --locked --respect-source-config --manifest-path "$here/Cargo.toml" "$work/vendor" >/dev/null
    cp "$here/Cargo.lock" "$work/vendor.lock"
fi

# How each is explored: the bounds on preemptions.
bounds() {
    case $1 in
        blosc) echo 0 1 2 ;;
        zstd | lzma) echo 0 1 ;;
        *) die "there is no program '$1'; there are: blosc zstd lzma" ;;
    esac
}

# Plants a bug in the sources in $2, one line each: the file, and what sed does to it.
plant() {
    local file edit
    case $1 in
        # The counter of the output is read before the lock is taken, not after.
        blosc)
            file=blosc-src/c-blosc/blosc/blosc.c
            edit='/Start critical section/{n;N;s/\(.*\)\n\(.*\)/\2\n\1/;}'
            ;;
        # A worker that was woken takes a job without another look whether there is one.
        zstd)
            file=zstd-sys/zstd/lib/common/pool.c
            edit='s/while ( ctx->queueEmpty$/if ( ctx->queueEmpty/'
            ;;
        # The main thread is woken before the block is marked as finished, not after.
        lzma)
            file=lzma-sys/xz-5.2/src/liblzma/common/stream_encoder_mt.c
            edit='/mythread_sync(thr->coder->mutex) {$/{N;/Mark the output/s/^/mythread_cond_signal(\&thr->coder->cond);/};/threads_free = thr;$/{n;n;d;}'
            ;;
    esac
    cp "$2/$file" "$work/before"
    sed -i "$edit" "$2/$file"
    # shellcheck disable=SC2015
    cmp -s "$work/before" "$2/$file" && die "the patch for $1 does not fit any more" || diff "$work/before" "$2/$file" || true
}

# Builds $1 from the sources in $2, in the folder $3.
build() {
    mkdir -p "$3"
    make -C "$3" --silent -f "$here/Makefile" -j "$(nproc)" CC="$TB cc" SOURCES="$2" HERE="$here" "$1"
}

# Checks the program $1 under the bound $2 by one worker on the backend $4: the JSON goes to $3, the exit code to $3.code.
check() {
    local code=0
    "$TB" check "$1" --backend "$4" --jobs 1 --context-bound "$2" --time-limit "$LIMIT" --format json --trace "$3.trace" >"$3" || code=$?
    echo "$code" >"$3.code"
}

field() { # of a file of JSON, by an expression of Python over `it`
    python3 -c 'import json, sys; it = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

row() { # program, bound, patch, file of JSON, backend
    local bug='(lambda b: b[0]["kind"] + ", " + str(b[0]["steps"]) + " steps, " + str(b[0]["threads"]) + " threads" if b else "")(it["bugs"])'
    printf '| %s | %s | %s | %s | %s %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$5" "$(field "$4" 'it["verdict"]')" \
        "$(field "$4" "$bug")" "$(field "$4" '"{:,}".format(it["executions"])')" "$(field "$4" '"{:,}".format(it["transitions"])')" \
        "$(field "$4" '"{:.1f}".format(it["cpu_seconds"])')" "$(field "$4" 'it["peak_rss_bytes"] >> 20')" | tee -a "$work/table"
}

{
    echo '| program | preemptions | patch | backend | verdict | executions | transitions | CPU s | MiB |'
    echo '|---|---|---|---|---|---|---|---|---|'
} | tee "$work/table"
failed=0
for name in "$@"; do
    bounds "$name" >/dev/null
    for patch in none planted; do
        rm -rf "$work/src" "$work/$name-$patch"
        cp -r "$work/vendor" "$work/src"
        # Zstandard's assembly code has C beside it for other processors.
        grep -rl '__x86_64__' "$work/src/zstd-sys/zstd/lib" | xargs sed -i 's/defined(__x86_64__)/0/g; s/defined(_M_X64)/0/g'
        [[ $patch == none ]] || plant "$name" "$work/src" >&2
        build "$name" "$work/src" "$work/$name-$patch"
        app=$work/$name-$patch/$name
        if [[ $patch == none ]]; then
            # It is an ordinary program.
            "$app" >&2
            for bound in $(bounds "$name"); do
                counts=
                for backend in $BACKENDS; do
                    check "$app" "$bound" "$work/$name.json" "$backend"
                    row "$name" "$bound" "" "$work/$name.json" "$backend"
                    [[ $(<"$work/$name.json.code") == 4 ]] || failed=1
                    # The same executions on both.
                    count=$(field "$work/$name.json" '(it["executions"], it["transitions"])')
                    [[ ${counts:=$count} == "$count" ]] || failed=1
                done
            done
        else
            bound=$(bounds "$name" | tail -c 2)
            for backend in $BACKENDS; do
                check "$app" "$bound" "$work/$name.json" "$backend"
                row "$name" "$bound" "planted" "$work/$name.json" "$backend"
                [[ $(<"$work/$name.json.code") == 1 ]] || failed=1
                # The schedule leads there again.
                "$TB" replay "$work/$name.json.trace" >"$work/$name.replay" 2>&1 || [[ $? == 1 ]] || failed=1
                grep -q 'the bug of the recording' "$work/$name.replay" || failed=1
            done
        fi
    done
done
rm -f "$work/before"
if [[ -n $write ]]; then
    awk -v table="$work/table" '/^<!-- end -->$/ { skip = 0 } !skip { print }
        /^<!-- real -->$/ { skip = 1; while ((getline line < table) > 0) print line }' "$page" >"$work/page"
    cp "$work/page" "$page"
fi
[[ $failed == 0 ]] || die "not what was expected: see the table above"
