/* Every way that an address may take from where it is named to where it is used. Each variable is touched by an atomic
 * operation, which the machine announces, through the way that its function is named after. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef atomic_int var;

static void touch(var *x) { atomic_fetch_add(x, 1); }
static int look(const var *x) { return atomic_load(x); }

/* Initial values, short and long, one behind the other. */
static var in_pointer, in_table[3], in_chain;
static var *pointer = &in_pointer;
static var *const table[] = {&in_table[0], &in_table[1], 0, &in_table[2]};
struct link {
    int filler;
    var *x;
    const struct link *next;
};
static const struct link last = {1, &in_chain, 0}, chain = {2, 0, &last};
struct __attribute__((packed)) odd {
    char filler;
    var *x;
};
static var in_odd;
static struct odd odd = {1, &in_odd};

static void initial_values(void)
{
    touch(pointer);
    for (int i = 0; i < 4; i++)
        if (table[i])
            touch(table[i]);
    touch(chain.next->x);
    touch(odd.x);
}

/* Assigned later: to a global, a thread-local variable, the heap, a structure that is copied. */
static var assigned, assigned_local, assigned_heap, copied, copied_by_bytes, returned, selected[2];
static var *holder;
static _Thread_local var *local_holder;

static void assignments(void)
{
    holder = &assigned;
    touch(holder);
    local_holder = &assigned_local;
    touch(local_holder);
    var **cell = malloc(sizeof *cell);
    *cell = &assigned_heap;
    touch(*cell);
    free(cell);
    struct link a = {1, &copied, 0}, b = a;
    touch(b.x);
    var *from = &copied_by_bytes, *to;
    for (unsigned i = 0; i < sizeof from; i++)
        ((char *)&to)[i] = ((const char *)&from)[i];
    touch(to);
}

static var *give(var *x, int n) { return n ? x : give(&selected[n], n + 1); }

static void values(int n)
{
    touch(give(&returned, 1));
    touch(give(&returned, 0));
    touch(n ? &selected[0] : &selected[1]);
}

/* Through what takes variable or indirect arguments. */
static var variadic, called, compared, by_value;

static void many(int n, ...)
{
    va_list list;
    va_start(list, n);
    while (n--)
        touch(va_arg(list, var *));
    va_end(list);
}

static void (*handler)(var *);
static void (*const handlers[])(var *) = {0, touch};

static int order(const void *a, const void *b)
{
    touch(&compared);
    return *(const int *)a - *(const int *)b;
}

struct big {
    long filler[6];
    var *x;
};

static void pass(struct big big) { touch(big.x); }

static void calls(void)
{
    many(2, &variadic, &variadic);
    handler = touch;
    handler(&called);
    handlers[1](&called);
    int list[] = {3, 1, 2};
    qsort(list, 3, sizeof *list, order);
    struct big big = {{0}, &by_value};
    pass(big);
}

/* Integers. */
static var tagged, mixed, other, split, printed, looked_up, indexed;

/* The compiler must not compute with addresses: constants made of several are mixed.c. */
__attribute__((noinline, optnone)) static uintptr_t number(var *x) { return (uintptr_t)x; }

static void integers(void)
{
    uintptr_t tag = number(&tagged) | 1;
    touch((var *)(tag & ~(uintptr_t)1));
    uintptr_t both = number(&mixed) ^ number(&other);
    touch((var *)(both ^ number(&other)));
    uint32_t low = (uint32_t)number(&split), high = (uint32_t)(number(&split) >> 32);
    touch((var *)((uintptr_t)high << 32 | low));
    char text[32];
    snprintf(text, sizeof text, "%lx", number(&printed));
    touch((var *)strtoul(text, 0, 16));
    int at = 16;
    for (uintptr_t n = number(&looked_up); n; n >>= 4)
        text[--at] = "0123456789abcdef"[n & 15];
    text[16] = 0;
    touch((var *)strtoul(text + at, 0, 16));
    char *null = 0;
    touch((var *)&null[number(&indexed)]);
}

/* Jumps, and what other threads do with our own variables. */
static var jumped, landed;
static jmp_buf buffer;

static void leap(void)
{
    touch(&jumped);
    longjmp(buffer, 1);
}

static void jumps(void)
{
    if (setjmp(buffer)) {
        touch(&landed);
        return;
    }
    leap();
}

static _Thread_local var own_global;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *helper(void *x)
{
    touch(x);
    return x;
}

static void threads(void)
{
    pthread_t t, u;
    var own = 0;
    void *result;
    pthread_create(&t, 0, helper, &own);
    pthread_create(&u, 0, helper, &own_global);
    touch(&own);
    touch(&own_global);
    pthread_join(t, &result);
    touch(result);
    pthread_join(u, &result);
    touch(result);
}

/* Locks by pointer, in structures and arrays. */
static struct {
    int filler;
    pthread_mutex_t lock;
    pthread_cond_t cond;
} object;
static pthread_mutex_t *the_lock = &object.lock, many_locks[3];

static void locks(int n)
{
    pthread_mutex_lock(the_lock);
    pthread_cond_signal(&object.cond);
    pthread_mutex_unlock(&object.lock);
    pthread_mutex_lock(&many_locks[n]);
    pthread_mutex_unlock(&many_locks[n]);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *n)
{
    initial_values();
    assignments();
    values(n != 0);
    calls();
    integers();
    threads();
    locks(n != 0);
    return 0;
}

static void *left(void *x)
{
    jumps();
    return work(x);
}

static void *right(void *x) { return work(x); }

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, left, 0);
    pthread_create(&u, 0, right, &in_pointer);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return look(&in_pointer) == 2 && look(&landed) == 1 ? 0 : 1;
}
