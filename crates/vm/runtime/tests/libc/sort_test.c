/* qsort: the same result and the same comparisons as glibc's; bsearch and the rest of <search.h>. */
#include "harness.h"

#include <search.h>

OURS(qsort);
OURS(qsort_r);
OURS(bsearch);
OURS(lfind);
OURS(lsearch);
OURS(tsearch);
OURS(tfind);
OURS(tdelete);
OURS(twalk);
OURS(tdestroy);
OURS(hcreate);
OURS(hsearch);
OURS(hdestroy);

/* Compares by the first byte only, so that equal elements can be told apart, and notes the comparisons. */
static uint64_t trace;
static size_t comparisons;

static int by_first_byte(const void *a, const void *b)
{
    int x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    trace = trace * 1099511628211u + (uint64_t)(x * 256 + y);
    comparisons++;
    return x - y;
}

static int by_first_byte_with(const void *a, const void *b, void *argument)
{
    ++*(int *)argument;
    return by_first_byte(a, b);
}

static void sorting(void)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 40, 100};
    size_t size = sizes[random_below(sizeof sizes / sizeof sizes[0])], n = random_below(random_below(4) ? 40 : 400);
    size_t offset = random_below(2) ? 0 : random_below(8);
    char *a = malloc(n * size + offset + 1), *b = malloc(n * size + offset + 1);
    for (size_t i = 0; i < n * size; i++)
        a[offset + i] = (char)(i % size ? random_bits() : random_below(20));
    memcpy(b + offset, a + offset, n * size);
    trace = comparisons = 0;
    qsort(a + offset, n, size, by_first_byte);
    uint64_t their_trace = trace;
    size_t theirs = comparisons;
    trace = comparisons = 0;
    size_t live = world.live;
    if (random_below(2)) {
        tb_qsort(b + offset, n, size, by_first_byte);
    } else {
        int count = 0;
        tb_qsort_r(b + offset, n, size, by_first_byte_with, &count);
        CHECK((size_t)count == comparisons, "qsort_r's argument");
    }
    CHECK(!memcmp(a + offset, b + offset, n * size), "qsort of %zu elements of %zu bytes", n, size);
    /* The sanitizer's qsort compares on its own account. */
    CHECK(SANITIZED || (their_trace == trace && theirs == comparisons),
          "qsort of %zu elements of %zu bytes compares otherwise", n, size);
    CHECK(world.live == live, "qsort leaks");
    free(a);
    free(b);
}

static int by_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void without_memory(void)
{
    int numbers[300];
    for (int i = 0; i < 300; i++)
        numbers[i] = (int)random_below(50);
    world.memory_left = 0;
    tb_qsort(numbers, 300, sizeof numbers[0], by_int);
    world.memory_left = SIZE_MAX;
    for (int i = 1; i < 300; i++)
        CHECK(numbers[i - 1] <= numbers[i], "qsort without memory");
}

static void searching(void)
{
    int numbers[50], n = (int)random_below(50), key = (int)random_below(120);
    for (int i = 0; i < n; i++)
        numbers[i] = i ? numbers[i - 1] + (int)random_below(4) : (int)random_below(4);
    CHECK(bsearch(&key, numbers, (size_t)n, sizeof(int), by_int) == tb_bsearch(&key, numbers, (size_t)n, sizeof(int),
        by_int), "bsearch");
    size_t count = (size_t)n;
    int *found = tb_lfind(&key, numbers, &count, sizeof(int), by_int);
    CHECK(found == lfind(&key, numbers, &count, sizeof(int), by_int), "lfind");
    if (n < 49) {
        int *added = tb_lsearch(&key, numbers, &count, sizeof(int), by_int);
        CHECK(*added == key && count == (size_t)n + (found == NULL), "lsearch");
    }
}

static int visited[200], visits, deepest;

static void visit(const void *node, VISIT when, int depth)
{
    if (when == postorder || when == leaf)
        visited[visits++] = **(int *const *)node;
    if (depth > deepest)
        deepest = depth;
}

static void ignore(void *key) { (void)key; }

static void trees(void)
{
    static int keys[100];
    bool present[100] = {false};
    void *root = NULL;
    size_t live = world.live;
    for (int i = 0; i < 100; i++)
        keys[i] = i;
    bool in_order = random_below(2);
    for (int i = 0; i < 300; i++) {
        int k = in_order && i < 100 ? i : (int)random_below(100);
        if (in_order ? i < 100 : random_below(3)) {
            int **node = tb_tsearch(&keys[k], &root, by_int);
            CHECK(**node == k, "tsearch");
            present[k] = true;
        } else {
            CHECK((tb_tdelete(&keys[k], &root, by_int) != NULL) == present[k], "tdelete");
            present[k] = false;
        }
        int **node = tb_tfind(&keys[k], &root, by_int);
        CHECK((node != NULL) == present[k] && (!node || **node == k), "tfind");
    }
    visits = deepest = 0;
    tb_twalk(root, visit);
    int at = 0;
    for (int i = 0; i < 100; i++)
        if (present[i])
            CHECK(at < visits && visited[at++] == i, "twalk's order");
    CHECK(at == visits && deepest < 10, "twalk: %d nodes, depth %d", visits, deepest);
    tb_tdestroy(root, ignore);
    CHECK(world.live == live, "a tree leaks");
}

static void tables(void)
{
    static char keys[40][4];
    size_t live = world.live;
    CHECK(tb_hcreate(30) && !tb_hcreate(30), "hcreate");
    for (int i = 0; i < 40; i++) {
        snprintf(keys[i], sizeof keys[i], "k%d", i);
        CHECK(!tb_hsearch((ENTRY){keys[i], NULL}, FIND), "hsearch finds what is not there");
        ENTRY *entered = tb_hsearch((ENTRY){keys[i], keys[i] + 1}, ENTER);
        CHECK(i >= 30 || (entered && entered->data == keys[i] + 1), "hsearch enters nothing");
        if (!entered)
            break;
        CHECK(tb_hsearch((ENTRY){keys[i], NULL}, ENTER) == entered, "hsearch enters twice");
        for (int k = 0; k <= i; k++) {
            ENTRY *found = tb_hsearch((ENTRY){keys[k], NULL}, FIND);
            CHECK(found && found->data == keys[k] + 1, "hsearch does not find");
        }
    }
    tb_hdestroy();
    CHECK(world.live == live, "a table leaks");
}

void test_sort(void)
{
    tables();
    tables();
    for (int i = times(5000); i > 0; i--) {
        sorting();
        searching();
    }
    for (int i = times(200); i > 0; i--)
        trees();
    without_memory();
}
