#!/usr/bin/env bash
# The speed of programs' own machine code: executions in a second of one core, beside a loop that forks and starts the same
# program again and again; what a heap of 16 MB costs; what a visible operation costs, with switches of threads and without.
set -euo pipefail
cd "$(dirname "$0")/.."
tb=$(realpath "${TB:-${CARGO_TARGET_DIR:-target}/release/threadbare}")
counts=$PWD/programs/counts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Two threads, sixteen visible operations each besides the beginning and the end; HEAP bytes that were written before.
cat >heap.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static char *heap;
static _Atomic int shared[2];
static void *work(void *mine)
{
    long me = (long)mine;
    for (int i = 0; i < 7; i++)
        atomic_store(&shared[me], i);
    heap[me * 4096] = 1;
    atomic_fetch_add(&shared[0], 1);
    for (int i = 0; i < 7; i++)
        atomic_store(&shared[me], i);
    atomic_fetch_add(&shared[1], 1);
    return NULL;
}
int main(void)
{
    heap = malloc(HEAP);
    memset(heap, 7, HEAP);
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return heap[HEAP - 1] != 7;
}
C

# The same with three threads that meet at a lock and a variable, so that the search goes back and forth.
cat >back.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static char *heap;
static _Atomic int shared[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *mine)
{
    long me = (long)mine;
    for (int i = 0; i < 4; i++)
        atomic_store(&shared[me], i);
    heap[me * 4096] = 1;
    pthread_mutex_lock(&lock);
    heap[HEAP / 2 + 64]++;
    pthread_mutex_unlock(&lock);
    atomic_exchange(&shared[0], (int)me);
    for (int i = 0; i < 3; i++)
        atomic_store(&shared[me], i);
    return NULL;
}
int main(void)
{
    heap = malloc(HEAP);
    memset(heap, 7, HEAP);
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return heap[HEAP - 1] != 7;
}
C

# Long executions: what is not a visible operation does not count.
cat >long.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static _Atomic int a, b;
static void *one(void *unused)
{
    for (int i = 0; i < 200; i++)
        atomic_store(&a, i);
    return unused;
}
static void *two(void *unused)
{
    for (int i = 0; i < 200; i++)
        atomic_store(&b, i);
    return unused;
}
int main(void)
{
    pthread_t x, y;
    pthread_create(&x, NULL, one, NULL);
    pthread_create(&y, NULL, two, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}
C

cat >again.c <<'C'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
extern char **environ;
int main(int argc, char **argv)
{
    int times = atoi(argv[1]);
    for (int i = 0; i < times; i++) {
        pid_t child;
        if (argc < 3 || posix_spawn(&child, argv[2], NULL, NULL, argv + 2, environ) || waitpid(child, NULL, 0) < 0)
            return 1;
    }
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    struct timeval all[] = {self.ru_utime, self.ru_stime, children.ru_utime, children.ru_stime};
    double seconds = 0;
    for (int i = 0; i < 4; i++)
        seconds += all[i].tv_sec + all[i].tv_usec * 1e-6;
    printf("%.6f\n", seconds);
    return 0;
}
C

cc=$(command -v clang-19 || command -v clang)
"$cc" -O1 again.c -o again

number() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" <<<"$2"; }
# By chance, nothing is proved: that is no error here.
native() { "$tb" check "$1" --backend native --format json --jobs 1 "${@:2}" || [[ $? == 4 ]]; }
# The result of the quickest of three: what else the machine does makes it slower, and nothing makes it quicker.
quickest() {
    for _ in 1 2 3; do
        native "$@" >result.json
        echo "$(number cpu_seconds "$(<result.json)") $(<result.json)"
    done | sort -g | head -1 | cut -d' ' -f2-
}

printf '%-34s %10s %10s %8s %12s %14s %8s\n' \
    program executions operations CPU-s executions/s 'fork, exec /s' ratio
while IFS='|' read -r file flags; do
    [ -n "$file" ] || continue
    # shellcheck disable=SC2086 # several flags
    result=$(quickest "$file" --strategy optimal -- $flags)
    # shellcheck disable=SC2086
    "$cc" -O0 -pthread $flags "$file" -o plain
    spawned=$(./again 1000 ./plain)
    # The visible operations of one execution, whatever the search shared of it with others.
    # shellcheck disable=SC2086
    one=$(native "$file" --strategy random --runs 1 -- $flags)
    awk -v file="$(basename "$file") $flags" -v n="$(number executions "$result")" -v s="$(number cpu_seconds "$result")" \
        -v operations="$(number transitions "$one")" -v spawned="$spawned" '
        BEGIN {
            printf "%-34s %10d %10d %8.3f %12.0f %14.0f %8.0f\n", file, n, operations, s, n / s, 1000 / spawned, n / s / (1000 / spawned)
        }'
done <<END
$counts/fib_bench.c|-DN=4
$counts/fib_bench.c|-DN=6
$counts/fib_bench.c|-DN=4 -DREADER
$counts/bounded_buffer.c|-DP=2 -DC=2
$counts/bounded_buffer.c|-DP=2 -DC=2 -DPUT=2
$counts/mutex_counter.c|-DN=8
$counts/lastzero.c|-DN=10
END

printf '\n%-34s %22s %22s\n' 'a heap of' 'from the start, /s' 'back and forth, /s'
for bytes in 16384 262144 1048576 16777216; do
    start=$(quickest heap.c --strategy random --runs 200 -- -DHEAP="$bytes")
    back=$(quickest back.c --strategy optimal -- -DHEAP="$bytes")
    awk -v bytes="$bytes" -v n="$(number executions "$start")" -v s="$(number cpu_seconds "$start")" \
        -v bn="$(number executions "$back")" -v bs="$(number cpu_seconds "$back")" \
        'BEGIN { printf "%-34s %22.0f %22.0f\n", bytes / 1024 " KiB", n / s, bn / bs }'
done

# Threads in turns by chance switch at every other operation; without a change of priority they do not. The least of five, by turns.
for _ in 1 2 3 4 5; do
    for strategy in random pct:1; do
        result=$(native long.c --strategy "$strategy" --runs 2000)
        echo "$strategy $(number transitions "$result") $(number cpu_seconds "$result")"
    done
done | awk '
    { took = $3 / $2 * 1e9; if (!least[$1] || took < least[$1]) least[$1] = took }
    END {
        printf "\na visible operation takes %.0f ns where threads go on as long as they can (pct:1), and %.0f ns where they switch at every\n", least["pct:1"], least["random"]
        printf "other one (random): each goes through the engine in any case, and a switch costs what the strategies differ by\n"
    }'
