/* Objects: layouts, initialisers, linkage, storage. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE, NEGATIVE = -3 };
typedef unsigned long word_t;

struct flags {
    unsigned ready : 1;
    unsigned count : 7;
    signed level : 5;
    unsigned : 0;
    unsigned long long wide : 40;
    _Bool dirty : 1;
};

union number {
    int32_t i;
    float f;
    uint8_t bytes[4];
    struct { uint16_t low, high; } halves;
};

struct __attribute__((packed)) wire {
    uint8_t tag;
    uint32_t length;
    uint64_t id;
};

struct node {
    struct node *next;
    const char *name;
    union number value;
    struct { int x, y; };
};

struct item { int key; double weight; };
struct queue { struct item items[4]; volatile int head; _Atomic int tail; struct node *list; };

struct text { size_t length; char bytes[]; };

struct __attribute__((aligned(64))) line { long slot[3]; };

typedef int (*binary)(int, int);

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }

static const binary table[] = { plus, minus, times, NULL };
const struct { const char *name; binary op; } named[3] = {
    [2] = { "times", times },
    [0] = { .op = plus, .name = "plus" },
};

int common_like;
extern int elsewhere;
static int counter = 40 + 2;
int array[8] = { [3] = 1, 2, 3 };
int matrix[3][4] = { { 1, 2 }, [2] = { [3] = 9 } };
char message[] = "quoted \"text\" with \\ and \x01\xff\n";
const wchar_t wide[] = L"wide";
double constants[] = { 0.1, -0.0, 1e300, 1.0 / 3.0 };
struct queue queue = { .items = { [1] = { 7, 2.5 } }, .head = 1 };
struct node second = { .name = "second", .value.f = 1.5f, .x = 1 };
struct node first = { &second, "first", { .bytes = { 1, 2, 3, 4 } }, { 5, 6 } };
struct wire wire = { 1, 2, 3 };
struct flags flags = { 1, 100, -4, 1099511627775ull, 1 };
char *inside = &message[3];
int *member = &queue.items[2].key;
uintptr_t as_number = (uintptr_t)&array[2];

__thread int per_thread = 3;
_Thread_local struct item thread_item;
__attribute__((weak)) int weak_value = 1;
__attribute__((weak)) extern int maybe_missing;
__attribute__((section("special"))) int placed = 2;
__attribute__((visibility("hidden"))) int hidden = 4;
__attribute__((aligned(128))) char buffer[128];

int original(int x) { return x + counter; }
extern int renamed(int) __attribute__((alias("original")));
__attribute__((weak)) int overridable(int x) { return -x; }
static int resolved(int x) { return x; }
static int (*resolver(void))(int) { return resolved; }
int indirect(int) __attribute__((ifunc("resolver")));

__attribute__((constructor(200))) static void before(void) { counter++; }
__attribute__((destructor)) static void after(void) { counter--; }

struct flags set_flags(struct flags f, int n) {
    f.ready = n & 1;
    f.count += n;
    f.level = -f.level;
    f.wide ^= (uint64_t)n << 20;
    f.dirty = !f.dirty;
    return f;
}

float punned(int bits) {
    union number n = { .i = bits };
    n.halves.high |= 0x4000;
    return n.f;
}

struct text *make_text(const char *from) {
    size_t length = strlen(from);
    struct text *text = malloc(sizeof *text + length + 1);
    if (!text) return NULL;
    text->length = length;
    memcpy(text->bytes, from, length + 1);
    return text;
}

struct big { long v[6]; };
struct big rotate(struct big b) {
    struct big out;
    for (int i = 0; i < 6; i++) out.v[i] = b.v[(i + 1) % 6];
    return out;
}

int sum_literal(int n) {
    const int *p = (const int[]){ 1, 2, n, 4 };
    struct item it = (struct item){ .key = p[2] };
    return p[0] + it.key + (int)offsetof(struct queue, tail);
}

#define kind(x) _Generic((x), int: 1, double: 2, char *: 3, const char *: 4, default: 0)
int kinds(void) {
    return kind(1) + 10 * kind(1.0) + 100 * kind("s") + 1000 * kind((word_t)1);
}

int apply(int which, int a, int b) { return table[which & 1](a, b) + named[2].op(a, b); }

int walk(const struct node *n) {
    int total = 0;
    while (n) {
        total += n->x + n->value.bytes[1];
        n = n->next;
    }
    return total + per_thread + thread_item.key + elsewhere + weak_value + (&maybe_missing ? maybe_missing : 0);
}

enum colour next_colour(enum colour c) { return c == BLUE ? RED : c == NEGATIVE ? GREEN : BLUE; }

void push(int key) {
    int at = queue.head++ & 3;
    queue.items[at].key = key;
    queue.items[at].weight = key * 0.5;
    queue.tail++;
    buffer[key & 127] = (char)key;
}
