/* Random numbers: the same sequences as glibc. */
#include "harness.h"

OURS(rand);
OURS(srand);
OURS(random);
OURS(srandom);
OURS(rand_r);
OURS(initstate);
OURS(setstate);
OURS(random_r);
OURS(srandom_r);
OURS(initstate_r);
OURS(setstate_r);
OURS(drand48);
OURS(lrand48);
OURS(mrand48);
OURS(erand48);
OURS(nrand48);
OURS(jrand48);
OURS(srand48);
OURS(seed48);
OURS(lcong48);
OURS(drand48_r);
OURS(srand48_r);
OURS(nrand48_r);

static void same_randoms(int n)
{
    while (n--)
        CHECK(rand() == tb_rand() && random() == tb_random(), "rand or random differs");
}

static void additive(void)
{
    same_randoms(1000); /* from the default seed */
    for (int i = 0; i < 50; i++) {
        unsigned seed = i < 3 ? (unsigned[]){0, 1, 0xffffffff}[i] : (unsigned)random_bits();
        if (i % 2)
            srand(seed), tb_srand(seed);
        else
            srandom(seed), tb_srandom(seed);
        same_randoms(100);
    }
    static const size_t sizes[] = {8, 32, 64, 128, 256, 40, 200};
    static _Alignas(8) char theirs[7][256], ours[7][256];
    for (int i = 0; i < 7; i++) {
        char *a = initstate(42u + (unsigned)i, theirs[i], sizes[i]), *b = tb_initstate(42u + (unsigned)i, ours[i],
            sizes[i]);
        CHECK((a != NULL) == (b != NULL), "initstate");
        same_randoms(150);
    }
    for (int i = 0; i < 30; i++) {
        unsigned which = random_below(7);
        CHECK((setstate(theirs[which]) != NULL) == (tb_setstate(ours[which]) != NULL), "setstate");
        same_randoms(40);
    }
    char tiny[8];
    CHECK(tb_initstate(1, tiny, 7) == NULL, "initstate with 7 bytes");

    struct random_data a = {0}, b = {0};
    _Alignas(8) static char their_state[64], our_state[64];
    CHECK(initstate_r(7, their_state, 64, &a) == tb_initstate_r(7, our_state, 64, &b), "initstate_r");
    for (int i = 0; i < 200; i++) {
        int32_t x, y;
        random_r(&a, &x);
        tb_random_r(&b, &y);
        CHECK(x == y, "random_r");
        if (i == 100)
            srandom_r(99, &a), tb_srandom_r(99, &b);
    }
    for (int i = 0; i < 1000; i++) {
        unsigned x = (unsigned)random_bits(), y = x;
        CHECK(rand_r(&x) == tb_rand_r(&y) && x == y, "rand_r");
    }
}

static void same_48(void)
{
    unsigned short x[3] = {(unsigned short)random_bits(), (unsigned short)random_bits(),
                           (unsigned short)random_bits()}, y[3];
    memcpy(y, x, sizeof y);
    for (int i = 0; i < 50; i++)
        CHECK(drand48() == tb_drand48() && lrand48() == tb_lrand48() && mrand48() == tb_mrand48() &&
                  erand48(x) == tb_erand48(y) && nrand48(x) == tb_nrand48(y) && jrand48(x) == tb_jrand48(y),
              "the drand48 family differs");
}

void test_rand(void)
{
    additive();
    same_48();
    for (int i = 0; i < 20; i++) {
        long seed = (long)random_bits();
        srand48(seed);
        tb_srand48(seed);
        same_48();
    }
    unsigned short p[7] = {1, 2, 3, 0x1235, 5, 6, 7};
    lcong48(p);
    tb_lcong48(p);
    same_48();
    unsigned short *a = seed48(p), *b = tb_seed48(p);
    CHECK(!memcmp(a, b, 6), "seed48's result");
    same_48();
    struct drand48_data c, d;
    memset(&c, 0, sizeof c);
    memset(&d, 0, sizeof d);
    srand48_r(5, &c);
    tb_srand48_r(5, &d);
    for (int i = 0; i < 20; i++) {
        double x, y;
        drand48_r(&c, &x);
        tb_drand48_r(&d, &y);
        CHECK(x == y, "drand48_r");
    }
    world_reset();
    tb_rand();
    CHECK(world.hidden == 1, "rand must be one visible operation");
}
