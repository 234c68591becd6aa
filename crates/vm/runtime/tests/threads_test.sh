#!/usr/bin/env bash
# Tests the thread libraries of the runtime natively, without the machine: they are compiled with its flags, their
# symbols renamed so as not to clash with the C library's, and linked with primitives on real threads (native_threads.c).
# Each program must print and return the same as with the C library's own threads.
#
# usage: threads_test.sh [--stress N] [--sanitize] [--jobs N] [NAME...]
#   --stress N   run every program N more times with random hesitations (default 1)
#   --sanitize   compile runtime and programs with AddressSanitizer and UBSan
#   --jobs N     programs at a time (default 2)
#   NAME         only these: tests of threads_test.c, programs of tests/c/mt (without .c), header
set -u
CC=${CC:-clang-19}
CXX=${CXX:-clang++-19}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
runtime=$(dirname "$here")
root=$(cd "$runtime/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stress=1 jobs=2 sanitize=()
while [[ ${1-} == --* ]]; do
  case $1 in
    --stress) stress=$2; shift ;;
    --sanitize) sanitize=(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer) ;;
    --jobs) jobs=$2; shift ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done
only=" $* "

# Results are collected in a file: most are found by background jobs.
wanted() { [[ $only == "  " || $only == *" $1 "* ]]; }
pass() { echo pass >> "$work/results"; }
fail() {
  echo fail >> "$work/results"
  { echo "FAIL $1"; [[ $# -gt 1 ]] && sed 's/^/    /' <<< "$2" | head -12; } >&2
}
in_background() {
  while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
  "$@" &
}

# ---- the runtime, renamed ----
sources=("$runtime"/pthread_*.c "$runtime"/{threads_c11,semaphore,verifier,atomic_lib}.c)
flags=(-std=gnu17 -O1 -g -ffreestanding -fno-builtin -fno-vectorize -fno-slp-vectorize -Wall -Wextra -Werror)
compile() {
  local output
  if output=$("$CC" "${flags[@]}" "${sanitize[@]}" -c "$1" -o "$work/$(basename "$1" .c).o" 2>&1); then
    pass
  else
    fail "compile $1" "$output"
  fi
}
for source in "${sources[@]}"; do in_background compile "$source"; done
in_background "$CC" -O1 -g -Wall -Wextra -Werror -pthread -c "$here/native_threads.c" -o "$work/primitives"
wait
nm -g --defined-only "$work"/*.o | awk 'NF == 3 && $3 !~ /^__(tb|odr_asan)/ {print $3, "tbrt_" $3}' | sort -u > "$work/names"
# The C library's sleeps know nothing of our cancellation.
printf '%s tb_test_%s\n' sleep sleep usleep usleep nanosleep nanosleep > "$work/sleeps"
cat "$work/names" "$work/sleeps" > "$work/program-names"
for object in "$work"/*.o; do objcopy --redefine-syms="$work/names" "$object"; done
objects=("$work"/*.o "$work/primitives")

# build NAME SOURCE : $work/NAME.own on the C library's threads, $work/NAME.tb on ours.
build() {
  local object=$work/$1.prog compile=("$CC" -std=gnu17 -O1 -g -pthread -I "$root/include" "${extra[@]}" -c "$2")
  "${compile[@]}" -o "$object" 2>&1 || return 1
  "$CC" -pthread "$object" -o "$work/$1.own" -latomic -lm 2>&1 || return 1
  if ((${#sanitize[@]})); then "${compile[@]}" "${sanitize[@]}" -o "$object" 2>&1 || return 1; fi
  objcopy --redefine-syms="$work/program-names" "$object"
  "$CC" "${sanitize[@]}" -pthread "$object" "${objects[@]}" -o "$work/$1.tb" -lm 2>&1
}

# run ERRORS PROGRAM ARGS... : its output and its exit code as one text.
run() {
  local errors=$1
  shift
  ulimit -c 0
  timeout 120 "$@" < "$input" 2> "$errors"
  echo "exit code $?"
}

# compare NAME EXPECTED PROGRAM ARGS...
compare() {
  local name=$1 expected=$2 got round errors=$work/$BASHPID.stderr
  shift 2
  for ((round = 0; round <= stress; round++)); do
    got=$(TB_STRESS=$round run "$errors" "$@" 2> /dev/null)
    if [[ $got != "$expected" ]]; then
      fail "$name (stress $round)" "$(diff <(echo "$expected") <(echo "$got"); cat "$errors")"
      return
    fi
  done
  pass
}
same_as_own() {
  local name=$1 program=$2
  shift 2
  compare "$name" "$(run /dev/null "$program.own" "$@" 2> /dev/null)" "$program.tb" "$@"
}

input=/dev/null

# ---- our own tests ----
extra=(-Wall -Wextra -Werror)
if output=$(build threads_test "$here/threads_test.c"); then
  for test in $("$work/threads_test.tb" --list both); do
    wanted "$test" && in_background same_as_own "$test" "$work/threads_test" "$test"
  done
  for test in $("$work/threads_test.tb" --list ours); do
    wanted "$test" && in_background compare "$test" "exit code 0" "$work/threads_test.tb" "$test"
  done
else
  fail "build threads_test" "$output"
fi

# ---- threadbare.h, for the checker and natively ----
header_compiles() {
  local output
  if output=$("$@" -O1 -Wall -Wextra -Wconversion -Wpedantic -Werror -I "$root/include" -c "$here/header_test.c" -o /dev/null 2>&1); then
    pass
  else
    fail "threadbare.h: $*" "$output"
  fi
}
if wanted header; then
  for compiler in "$CC -std=c11 -x c" "$CC -std=gnu17 -x c" "$CXX -std=c++11 -x c++" "gcc -std=c11 -x c" "g++ -std=c++17 -x c++"; do
    read -r -a command <<< "$compiler"
    command -v "${command[0]}" > /dev/null || continue
    for mode in -DNATIVE -D__THREADBARE__=1 -DNDEBUG; do in_background header_compiles "${command[@]}" "$mode"; done
  done
  "$CC" -I "$root/include" "$here/header_test.c" -o "$work/header" || exit 2
  compare "header, lowest choices" $'1 0 0\nexit code 0' "$work/header"
  compare "header, given choices" $'3 7 1\nexit code 0' env TB_CHOICES=3,7,1 "$work/header"
  compare "header, choice out of range" $'1 7 1\nexit code 0' env TB_CHOICES=9,7,1 "$work/header"
  compare "header, assumption fails" 'exit code 0' env TB_CHOICES=2 "$work/header"
  compare "header, assertion fails" 'exit code 134' env TB_CHOICES=1,13 "$work/header"
fi

# ---- the multi-threaded programs of the tests ----
program() {
  local name=$1 base=$2 output
  local extra=() args=() input=/dev/null
  [[ -f $base.flags ]] && read -r -a extra < "$base.flags"
  [[ -f $base.args ]] && eval "args=($(cat "$base.args"))"
  [[ -f $base.stdin ]] && input=$base.stdin
  if output=$(build "$name" "$base.c"); then
    same_as_own "$name" "$work/$name" "${args[@]}"
  else
    fail "build $name" "$output"
  fi
  rm -f "$work/$name".*
}
for source in "$root"/tests/c/mt/*.c; do
  name=$(basename "$source" .c)
  [[ -e $source ]] && wanted "$name" && in_background program "$name" "${source%.c}"
done

wait
passed=$(grep -c pass "$work/results")
failed=$(grep -c fail "$work/results")
echo "$passed passed, $failed failed"
((failed == 0))
