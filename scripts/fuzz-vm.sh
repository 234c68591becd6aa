#!/usr/bin/env bash
# Random C: programs from csmith give the same checksum and exit code on the VM as on the hardware.
#
#   scripts/fuzz-vm.sh [COUNT] [FIRST_SEED]      default: 500 programs from seed 1
#
# Every seed makes one program, the same every time. Programs that say nothing are skipped and counted, and the next
# seeds take their place until COUNT programs have been compared: those that run for more than a second natively, those
# that the compiler treats differently at -O0 and -O2, those over the step limit. A difference, an error report, a crash
# or a hang of ours is a failure; its program and the command that shows it again stay in target/fuzz-vm/failures/.
#
# Environment: TB (the binary, default target/release/threadbare), JOBS (how many at once, default 2),
# STEPS (the step limit, default 50 million).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=target/fuzz-vm
TB=${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}
JOBS=${JOBS:-2}
STEPS=${STEPS:-50000000}
vm_seconds=120 # of a program that takes less than quick_centiseconds natively: longer means that we hang
quick_centiseconds=25
export TB STEPS

die() {
    printf 'fuzz-vm: %s\n' "$*" >&2
    exit 2
}

# Where csmith's headers are, set by the package that brings them.
csmith_include() {
    local header
    header=$(find /usr/include /usr/local/include -maxdepth 2 -name csmith.h -print -quit 2>/dev/null)
    [[ -n $header ]] && dirname "$header"
}

# Sets `options` for the seed $1: all programs are small, and neighbouring seeds stress different things.
choose_options() {
    local seed=$1
    options=(--max-funcs $((2 + seed % 7)) --max-block-depth $((2 + seed % 3)) --max-block-size $((2 + seed % 4))
        --max-expr-complexity $((3 + seed % 8)) --max-array-dim $((1 + seed % 3)) --max-array-len-per-dim $((4 + seed % 6))
        --max-pointer-depth $((1 + seed % 4)) --max-struct-fields $((3 + seed % 11)) --max-union-fields $((2 + seed % 4)))
    case $((seed % 10)) in
        0) ;;
        1) options+=(--builtins --float) ;;
        2) options+=(--no-volatiles --no-volatile-pointers --inline-function) ;;
        3) options+=(--bitfields --packed-struct --no-unions --arg-structs --return-structs) ;;
        4) options+=(--float --no-bitfields --no-jumps) ;;
        5) options+=(--no-structs --no-unions --builtins --enable-access-once) ;;
        6) options+=(--no-packed-struct --bitfields --no-const-pointers --no-consts) ;;
        7) options+=(--no-longlong --no-math64 --no-comma-operators) ;;
        8) options+=(--no-int8 --no-uint8 --no-pointers --no-embedded-assigns --float) ;;
        9) options+=(--no-arrays --inline-function --inline-function-prob 90 --no-signed-char-index) ;;
    esac
    # csmith's probabilities themselves, for a quarter of the seeds
    [[ $((seed % 4)) -ne 3 ]] || options+=(--random-random)
}

# Runs a command with stdout in $1 and stderr in $1.err; sets `code`, and `spent` to CPU time in 1/100 s.
run() {
    local out=$1 times TIMEFORMAT='%U %S'
    shift
    code=0
    { time "$@" >"$out" 2>"$out.err" || code=$?; } 2>"$out.time"
    times=$(<"$out.time")
    spent=$(awk '{ printf "%d", ($1 + $2) * 100 }' <<<"${times##*$'\n'}")
}

# A second of processor time natively; the wall clock only stops what waits for something.
native() { (
    ulimit -t 1 -c 0
    exec timeout 60 "$1"
); }

skip() { echo "skip $seed $*"; }
fail() {
    local kept=$work/failures/$seed
    rm -rf "$kept"
    mkdir -p "$kept"
    cp "$dir"/*.c "$dir"/*.out "$dir"/*.err "$kept"
    {
        echo "# $*"
        echo "# csmith --seed $seed ${options[*]}"
        echo "cd $PWD"
        printf '%q ' "$TB" run -O "$level" --step-limit "$STEPS" "$kept/program.c" -- "${flags[@]}"
        echo
    } >"$kept/again.sh"
    echo "fail $seed $*; see $kept/again.sh"
}

# One seed: prints one line, starting with pass, skip or fail.
one() {
    local seed=$1 dir=$RUN/$1 options flags level code spent native_spent native_code
    # The one builtin that needs a newer processor than clang's default becomes some arithmetic.
    flags=(-w -fno-strict-aliasing "-I$(csmith_include)" "-D__builtin_ia32_crc32qi(a,b)=((a)*31u+(b))")
    rm -rf "$dir"
    mkdir -p "$dir"
    choose_options "$seed"
    # csmith leaves a file behind where it runs
    if ! (cd "$dir" && timeout 20 csmith --seed "$seed" "${options[@]}" --output program.c >csmith.log 2>&1); then
        skip "csmith makes no program of it in 20 s"
        return
    fi
    for level in 0 2; do
        if ! clang-19 "-O$level" "${flags[@]}" "$dir/program.c" -o "$dir/native$level" -lm 2>"$dir/clang.err"; then
            skip "clang does not compile it: $(grep -m 1 error: "$dir/clang.err" || true)"
            return
        fi
        run "$dir/native$level.out" native "$dir/native$level"
        if [[ $code -eq 124 || $code -eq 137 ]]; then
            skip "takes more than a second natively"
            return
        elif [[ $code -gt 124 ]]; then
            skip "crashes natively (exit code $code)"
            return
        fi
        if [[ $level -eq 0 ]]; then
            native_spent=$spent
            native_code=$code
        fi
    done
    if [[ $code -ne $native_code ]] || ! cmp -s "$dir/native0.out" "$dir/native2.out"; then
        skip "native -O0 and -O2 differ"
        return
    fi
    for level in 0 2; do
        run "$dir/vm$level.out" timeout "$vm_seconds" "$TB" run -O "$level" --step-limit "$STEPS" "$dir/program.c" -- "${flags[@]}"
        if [[ $code -ne 0 ]] && grep -q 'raise it with --step-limit' "$dir/vm$level.out.err"; then
            skip "over the step limit at -O $level"
            return
        elif [[ $code -eq 124 && $native_spent -gt $quick_centiseconds ]]; then
            skip "takes more than $vm_seconds s on the VM, and $((native_spent * 10)) ms natively"
            return
        elif [[ $code -eq 124 ]]; then
            fail "-O $level: no end after $vm_seconds s, $((native_spent * 10)) ms natively"
            return
        elif [[ $code -ne $native_code ]]; then
            fail "-O $level: exit code $code, natively $native_code"
            return
        elif ! cmp -s "$dir/native0.out" "$dir/vm$level.out"; then
            fail "-O $level: $(tail -n 1 "$dir/vm$level.out"), natively $(tail -n 1 "$dir/native0.out")"
            return
        fi
    done
    echo "pass $seed"
    rm -rf "$dir" "$work/failures/$seed"
}

if [[ ${1:-} == --one ]]; then
    one "$2"
    exit
fi

count=${1:-500} first=${2:-1}
[[ $count =~ ^[0-9]+$ && $first =~ ^[0-9]+$ ]] || die "usage: scripts/fuzz-vm.sh [COUNT] [FIRST_SEED]"
command -v csmith >/dev/null || die "csmith is missing: scripts/setup.sh fuzz installs it"
csmith_include >/dev/null || die "csmith's headers are missing: scripts/setup.sh fuzz installs them"
command -v clang-19 >/dev/null || die "clang-19 is missing: scripts/setup.sh installs it"
[[ -x $TB ]] || die "$TB is not there: make build makes it"

# Two runs at the same time do not meet.
export RUN=$work/run.$$
trap 'rm -rf "$RUN"' EXIT
mkdir -p "$RUN" "$work/failures"
log=$work/log.$$
: >"$log"
passed=0 failed=0 skipped=0 seed=$first
echo "$count programs from seed $first, $(cd "$work" && csmith --version | head -n 1), $TB"

while [[ $((passed + failed)) -lt $count ]]; do
    wanted=$((count - passed - failed))
    while read -r word number rest; do
        echo "$word $number $rest" >>"$log"
        case $word in
            pass) passed=$((passed + 1)) ;;
            skip) skipped=$((skipped + 1)) ;;
            fail)
                failed=$((failed + 1))
                printf '%sFAILED  seed %s %s\n' "${clear:-}" "$number" "$rest"
                ;;
        esac
        if [[ -t 1 ]]; then
            clear=$'\r\e[K'
            printf '%s%d passed, %d failed, %d skipped' "$clear" "$passed" "$failed" "$skipped"
        fi
    done < <(seq "$seed" $((seed + wanted - 1)) | xargs -P "$JOBS" -n 1 scripts/fuzz-vm.sh --one)
    seed=$((seed + wanted))
    [[ $((passed + failed + skipped)) -eq $((seed - first)) ]] || die "a seed ended without a word, see $log"
    # A broken set-up skips everything: say so instead of going on for ever.
    if [[ $skipped -gt $((20 + 3 * (passed + failed))) ]]; then
        printf '%s' "${clear:-}"
        die "most programs are skipped, see $log"
    fi
done

mv "$log" "$work/log"
log=$work/log
printf '%s' "${clear:-}"
if [[ $skipped -gt 0 ]]; then
    echo "skipped:"
    sed -n 's/^skip [0-9]* \(.*\)/\1/p' "$log" | sed 's/ (exit.*//; s/, and [0-9]* ms.*//; s/compile it:.*/compile it/' | sort | uniq -c | sort -rn
fi
echo "fuzz-vm: $passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 ]]
