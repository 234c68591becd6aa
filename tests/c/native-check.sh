#!/usr/bin/env bash
# Builds every test program of a folder natively at -O0 and -O2, runs both, and
# checks that standard output and exit code agree.  See README.md.
#
# usage: native-check.sh [--sanitize] [--msan] [--jobs N] [--keep DIR] [FOLDER] [NAME...]
#   --sanitize   also build and run with AddressSanitizer and UBSan at -O1
#   --msan       also build and run with MemorySanitizer at -O1
#   --jobs N     parallel checks (default 2)
#   --keep DIR   keep binaries and outputs in DIR
#   FOLDER       default: the folder seq beside this script
#   NAME         only these programs (without .c)
set -u
CC=${CC:-clang-19}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# One program.  Arguments: its path (a .c file or a folder).  Prints one line
# per failure; the result file holds "pass" or "fail".
check_one() {
  local path=$1 name base out sources flags libs level rc
  name=$(basename "$path" .c)
  base=${path%.c}
  out=$WORK/$name
  mkdir -p "$out"
  flags=()
  if [[ -d $path ]]; then
    mapfile -t sources < <(find "$path" -name '*.c' | LC_ALL=C sort)
    [[ -f $path/flags ]] && read -r -a flags < "$path/flags"
    [[ -d $path/inc ]] && flags+=("-I$path/inc")
  else
    sources=("$path")
    [[ -f $base.flags ]] && read -r -a flags < "$base.flags"
  fi
  local args=() input=/dev/null
  [[ -f $base.args ]] && eval "args=($(cat "$base.args"))"
  [[ -f $base.stdin ]] && input=$base.stdin
  libs=(-pthread -lm -latomic)

  local kinds=("O0 -O0" "O2 -O2")
  ((SANITIZE)) && kinds+=("asan -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer")
  ((MSAN)) && kinds+=("msan -O1 -g -fsanitize=memory")

  local failed=0 kind
  for kind in "${kinds[@]}"; do
    local -a opts
    read -r level opts <<< "$kind"
    read -r -a opts <<< "$opts"
    if ! "$CC" -std=gnu17 -Wall -Wextra "${opts[@]}" "${flags[@]}" "${sources[@]}" \
        -o "$out/$level" "${libs[@]}" > "$out/$level.cc" 2>&1; then
      echo "FAIL $name: does not compile ($level)"
      sed 's/^/    /' "$out/$level.cc" | head -20
      failed=1
      break
    fi
    if [[ $level == O[02] ]] && grep -q 'warning:' "$out/$level.cc"; then
      echo "FAIL $name: warnings ($level)"
      sed 's/^/    /' "$out/$level.cc" | head -20
      failed=1
    fi
    (
      cd "$out" && ulimit -c 0
      export ASAN_OPTIONS=allocator_may_return_null=1 MSAN_OPTIONS=allocator_may_return_null=1
      timeout 20 "./$level" "${args[@]}" < "$input" > "$level.stdout" 2> "$level.stderr"
      echo $? > "$level.code"
    ) 2> /dev/null
    rc=$(cat "$out/$level.code")
    # MemorySanitizer is only asked for its reports: its wrappers alter some results.
    if [[ $level == O2 || $level == asan ]]; then
      if ! cmp -s "$out/O0.stdout" "$out/$level.stdout"; then
        echo "FAIL $name: stdout differs between O0 and $level"
        diff "$out/O0.stdout" "$out/$level.stdout" | head -6 | sed 's/^/    /'
        head -12 "$out/$level.stderr" | sed 's/^/    /'
        failed=1
      elif [[ $rc != "$(cat "$out/O0.code")" ]]; then
        echo "FAIL $name: exit code $(cat "$out/O0.code") at O0, $rc at $level"
        head -12 "$out/$level.stderr" | sed 's/^/    /'
        failed=1
      fi
    fi
    if grep -q 'runtime error:\|ERROR: \|WARNING: MemorySanitizer' "$out/$level.stderr"; then
      echo "FAIL $name: sanitizer report ($level)"
      head -12 "$out/$level.stderr" | sed 's/^/    /'
      failed=1
    fi
  done
  if [[ ! -s $out/O0.stdout ]]; then
    echo "FAIL $name: prints nothing"
    failed=1
  fi
  if ((failed)); then echo fail; else echo pass; fi > "$out/result"
}

if [[ ${1-} == --one ]]; then
  check_one "$2"
  exit 0
fi

SANITIZE=0 MSAN=0 jobs=2 keep=
while [[ ${1-} == --* ]]; do
  case $1 in
    --sanitize) SANITIZE=1 ;;
    --msan) MSAN=1 ;;
    --jobs) jobs=$2; shift ;;
    --keep) keep=$2; shift ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done
folder=${1:-$here/seq}
[[ $# -gt 0 ]] && shift
folder=$(cd "$folder" && pwd) || exit 2

if [[ -n $keep ]]; then
  mkdir -p "$keep"
  WORK=$(cd "$keep" && pwd)
else
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
fi
export WORK CC SANITIZE MSAN

programs=()
if [[ $# -gt 0 ]]; then
  for n in "$@"; do
    n=${n%.c}
    if [[ -d $folder/$n ]]; then programs+=("$folder/$n"); else programs+=("$folder/$n.c"); fi
  done
else
  for p in "$folder"/*.c "$folder"/*/; do
    [[ -e $p ]] && programs+=("${p%/}")
  done
fi

rm -f "$WORK"/*/result
printf '%s\0' "${programs[@]}" | xargs -0 -P "$jobs" -n 1 "${BASH_SOURCE[0]}" --one

passed=$(cat "$WORK"/*/result 2> /dev/null | grep -c pass)
failed=$((${#programs[@]} - passed))
echo "$passed passed, $failed failed"
((failed == 0))
