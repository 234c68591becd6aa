/* Memory, the ends of the program, the environment, and small arithmetic. */
#include "harness.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <assert.h>

OURS(malloc); OURS(calloc); OURS(realloc); OURS(reallocarray); OURS(free); OURS(aligned_alloc); OURS(posix_memalign);
OURS(memalign); OURS(valloc); OURS(malloc_usable_size);
OURS(atexit); OURS(on_exit); OURS(at_quick_exit); OURS(exit); OURS(quick_exit); OURS(_Exit); OURS(abort);
OURS(getenv); OURS(setenv); OURS(unsetenv); OURS(putenv); OURS(clearenv); OURS(system); OURS(getsubopt);
OURS(abs); OURS(labs); OURS(llabs); OURS(div); OURS(ldiv); OURS(lldiv); OURS(imaxdiv);
OURS(__errno_location);
extern char **tb_environ;
extern int tb___cxa_atexit(void (*)(void *), void *, void *);
extern void tb___assert_fail(const char *, const char *, unsigned, const char *);

#define NO_MEMORY(expression) (*tb___errno_location() = 0, (expression) == NULL && *tb___errno_location() == ENOMEM)

static void memory(void)
{
    size_t live = world.live;
    char *p = tb_malloc(10);
    CHECK(p && (uintptr_t)p % 16 == 0 && tb_malloc_usable_size(p) == 10, "malloc");
    memcpy(p, "012345678", 10);
    p = tb_realloc(p, 100);
    CHECK(p && !strcmp(p, "012345678") && tb_malloc_usable_size(p) == 100, "realloc to more");
    p = tb_realloc(p, 4);
    CHECK(p && !memcmp(p, "0123", 4) && tb_malloc_usable_size(p) == 4, "realloc to less");
    CHECK(tb_realloc(p, 0) == NULL && world.live == live, "realloc to nothing frees");
    p = tb_realloc(NULL, 5);
    CHECK(p && world.live == live + 1, "realloc of NULL");
    world.memory_left = 0;
    CHECK(NO_MEMORY(tb_realloc(p, 50)) && world.live == live + 1, "realloc without memory keeps the block");
    CHECK(NO_MEMORY(tb_malloc(1)), "malloc without memory");
    world.memory_left = SIZE_MAX;
    tb_free(p);
    tb_free(NULL);
    p = tb_malloc(0);
    CHECK(p != NULL, "malloc(0)");
    tb_free(p);
    p = tb_calloc(3, 7);
    bool zero = p != NULL;
    for (int i = 0; zero && i < 21; i++)
        zero = p[i] == 0;
    CHECK(zero, "calloc");
    tb_free(p);
    CHECK(NO_MEMORY(tb_calloc(SIZE_MAX / 2, 3)), "calloc's overflow");
    CHECK(NO_MEMORY(tb_malloc(SIZE_MAX)), "malloc of everything");
    CHECK(NO_MEMORY(tb_reallocarray(NULL, SIZE_MAX / 2, 3)), "reallocarray's overflow");
    p = tb_reallocarray(NULL, 3, 4);
    CHECK(tb_malloc_usable_size(p) == 12, "reallocarray");
    tb_free(p);
    for (size_t align = 1; align <= 4096; align *= 2) {
        p = tb_aligned_alloc(align, 24);
        CHECK(p && (uintptr_t)p % align == 0 && tb_malloc_usable_size(p) == 24, "aligned_alloc");
        tb_free(p);
        void *q = NULL;
        int result = tb_posix_memalign(&q, align, 24);
        CHECK(align < sizeof(void *) ? result == EINVAL && !q : result == 0 && (uintptr_t)q % align == 0,
              "posix_memalign to %zu", align);
        tb_free(q);
    }
    void *q;
    CHECK(tb_posix_memalign(&q, 24, 8) == EINVAL && tb_posix_memalign(&q, 0, 8) == EINVAL,
          "posix_memalign to no power of two");
    p = tb_memalign(48, 8);
    CHECK((uintptr_t)p % 64 == 0, "memalign rounds up");
    tb_free(p);
    p = tb_valloc(8);
    CHECK((uintptr_t)p % 4096 == 0, "valloc");
    tb_free(p);
    CHECK(tb_malloc_usable_size(NULL) == 0 && world.live == live, "memory leaks");
}

/* What the handlers did, in order. */
static char ran[300];
static void note(char c) { ran[strlen(ran)] = c; }
static void first(void) { note('a'); }
static void second(void) { note('b'); }
static void adds_one(void)
{
    note('c');
    tb_atexit(first);
}
static void with_status(int status, void *argument)
{
    note((char)('0' + status));
    note(*(char *)argument);
}
static void with_argument(void *argument) { note(*(char *)argument); }
static void exits_again(void)
{
    note('x');
    tb_exit(7);
}

static void ends(void)
{
    memset(ran, 0, sizeof ran);
    tb_atexit(first);
    tb_atexit(second);
    tb_on_exit(with_status, "z");
    tb___cxa_atexit(with_argument, "y", NULL);
    tb_atexit(adds_one);
    RUN_TO_END(tb_exit(3));
    CHECK(world_end == EXITED && world_code == 3 && !strcmp(ran, "cay3zba"), "exit's handlers: %s", ran);
    memset(ran, 0, sizeof ran);
    tb_atexit(first);
    tb_atexit(exits_again);
    RUN_TO_END(tb_exit(3));
    CHECK(world_end == EXITED && world_code == 7 && !strcmp(ran, "xa"), "exit in a handler: %s", ran);
    memset(ran, 0, sizeof ran);
    for (int i = 0; i < 100; i++)
        CHECK(tb_atexit(i % 2 ? first : second) == 0, "atexit");
    RUN_TO_END(tb_exit(256));
    CHECK(world_code == 0 && strlen(ran) == 100 && ran[0] == 'a' && ran[99] == 'b', "a hundred handlers");
    memset(ran, 0, sizeof ran);
    tb_atexit(first);
    tb_at_quick_exit(second);
    RUN_TO_END(tb_quick_exit(1));
    CHECK(world_end == EXITED && world_code == 1 && !strcmp(ran, "b"), "quick_exit: %s", ran);
    memset(ran, 0, sizeof ran);
    RUN_TO_END(tb__Exit(4));
    CHECK(world_end == EXITED && world_code == 4 && !ran[0], "_Exit");
    RUN_TO_END(tb_exit(0));
    RUN_TO_END(tb_abort());
    CHECK(world_end == KILLED && world_code == 6, "abort");
    RUN_TO_END(tb___assert_fail("x > 0", "file.c", 12, "main"));
    CHECK(world_end == ASSERTED && world_code == 12 && !strcmp(world_what, "x > 0"), "assert");
    RUN_TO_END(tb_system("ls"));
    CHECK(world_end == UNSUPPORTED && !strcmp(world_what, "system"), "system");
}

static void environment(void)
{
    static char one[] = "ONE=1", two[] = "TWO=22", *initial[] = {one, two, NULL};
    tb_environ = initial;
    CHECK(!strcmp(tb_getenv("ONE"), "1") && !strcmp(tb_getenv("TWO"), "22"), "getenv");
    CHECK(!tb_getenv("ON") && !tb_getenv("ONE=") && !tb_getenv("") && !tb_getenv("THREE"),
          "getenv of what is not there");
    CHECK(tb_setenv("THREE", "333", 0) == 0 && !strcmp(tb_getenv("THREE"), "333"), "setenv");
    CHECK(tb_setenv("THREE", "x", 0) == 0 && !strcmp(tb_getenv("THREE"), "333"), "setenv without overwriting");
    CHECK(tb_setenv("THREE", "y", 1) == 0 && !strcmp(tb_getenv("THREE"), "y"), "setenv that overwrites");
    CHECK(tb_setenv("", "y", 1) == -1 && tb_setenv("a=b", "y", 1) == -1 && *tb___errno_location() == EINVAL,
          "setenv of bad names");
    static char four[] = "FOUR=4";
    CHECK(tb_putenv(four) == 0 && tb_getenv("FOUR") == four + 5, "putenv");
    CHECK(tb_unsetenv("ONE") == 0 && !tb_getenv("ONE") && !strcmp(tb_getenv("TWO"), "22"), "unsetenv");
    static char name[] = "TWO";
    CHECK(tb_putenv(name) == 0 && !tb_getenv("TWO"), "putenv without a value");
    CHECK(tb_unsetenv("a=b") == -1, "unsetenv of a bad name");
    CHECK(tb_clearenv() == 0 && !tb_getenv("THREE") && !tb_environ, "clearenv");
    CHECK(tb_setenv("NEW", "n", 1) == 0 && !strcmp(tb_getenv("NEW"), "n"), "setenv after clearenv");
}

static void arithmetic(void)
{
    CHECK(tb_abs(-5) == 5 && tb_labs(-5L) == 5 && tb_llabs(LLONG_MIN + 1) == LLONG_MAX, "abs");
    for (int i = 0; i < 200; i++) {
        long a = (long)random_interesting(), b = (long)random_interesting();
        if (b == 0 || b == -1 || (int)b == 0 || (int)b == -1)
            continue;
        CHECK(tb_div((int)a, (int)b).quot == (int)a / (int)b && tb_div((int)a, (int)b).rem == (int)a % (int)b, "div");
        CHECK(tb_ldiv(a, b).quot == a / b && tb_lldiv(a, b).rem == a % b && tb_imaxdiv(a, b).quot == a / b, "ldiv");
    }
    char options[] = "size=5,quick,bad=1", *p = options, *value;
    char *const tokens[] = {"quick", "size", NULL};
    CHECK(tb_getsubopt(&p, tokens, &value) == 1 && !strcmp(value, "5"), "getsubopt with a value");
    CHECK(tb_getsubopt(&p, tokens, &value) == 0 && !value, "getsubopt without one");
    CHECK(tb_getsubopt(&p, tokens, &value) == -1 && !strcmp(value, "bad=1") && !*p, "getsubopt of an unknown one");
}

void test_stdlib(void)
{
    memory();
    ends();
    environment();
    arithmetic();
}
