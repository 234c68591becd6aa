/* Random numbers: glibc's sequences. random() and rand() are additive feedback generators over 7, 15, 31 or 63
 * words (r[i] = r[i-n] + r[i-k]), or with 8 bytes of state a linear congruence. glibc locks random and rand, so their
 * state is hidden; the drand48 family is not thread-safe there, and its accesses are plain. */
#include "tb_internal.h"

#include <stdlib.h>
#include <sys/random.h>

#define TYPES 5

/* By type: the number of words, and the distance of the two that are added. */
static const struct {
    int degree, separation;
} generators[TYPES] = {{0, 0}, {7, 3}, {15, 1}, {31, 3}, {63, 1}};

/* What srandom(1) makes: the generator's type and then its words. */
static int32_t initial[32] = {
    3,
    -1726662223, 379960547, 1735697613, 1040273694, 1313901226, 1627687941, -179304937, -2073333483,
    1780058412, -1989503057, -615974602, 344556628, 939512070, -1249116260, 1507946756, -812545463,
    154635395, 1388815473, -1926676823, 525320961, -1009028674, 968117788, -123449607, 1284210865,
    435012392, -2017506339, -911064859, -370259173, 1132637927, 1398500161, -205601318,
};

static struct random_data shared = {
    .fptr = initial + 4, .rptr = initial + 1, .state = initial + 1, .rand_type = 3, .rand_deg = 31, .rand_sep = 3,
    .end_ptr = initial + 32};

static int refuse(void)
{
    errno = EINVAL;
    return -1;
}

static int32_t next(struct random_data *data)
{
    int32_t *state = data->state;
    if (data->rand_type == 0) {
        state[0] = (int32_t)(((uint32_t)state[0] * 1103515245u + 12345u) & 0x7fffffff);
        return state[0];
    }
    int32_t *front = data->fptr, *rear = data->rptr;
    uint32_t sum = (uint32_t)*front + (uint32_t)*rear;
    *front++ = (int32_t)sum;
    rear++;
    data->fptr = front == data->end_ptr ? state : front;
    data->rptr = rear == data->end_ptr ? state : rear;
    return (int32_t)(sum >> 1);
}

static int seed(struct random_data *data, unsigned value)
{
    if ((unsigned)data->rand_type >= TYPES)
        return -1;
    int32_t word = value ? (int32_t)value : 1;
    data->state[0] = word;
    if (data->rand_type == 0)
        return 0;
    for (int i = 1; i < data->rand_deg; i++) {
        /* 16807 × word modulo 2^31 - 1 */
        int64_t product = (int64_t)word * 16807 % 0x7fffffff;
        word = (int32_t)(product < 0 ? product + 0x7fffffff : product);
        data->state[i] = word;
    }
    data->fptr = data->state + data->rand_sep;
    data->rptr = data->state;
    for (int i = 0; i < 10 * data->rand_deg; i++)
        next(data);
    return 0;
}

/* The word before the state says which generator it is for and where that stands. */
static void mark(struct random_data *data)
{
    int32_t position = data->rand_type ? (int32_t)(data->rptr - data->state) : 0;
    data->state[-1] = TYPES * position + data->rand_type;
}

static void use(struct random_data *data, int32_t *state, int type)
{
    data->state = state;
    data->rand_type = type;
    data->rand_deg = generators[type].degree;
    data->rand_sep = generators[type].separation;
    data->end_ptr = state + data->rand_deg;
}

static int start(unsigned value, char *memory, size_t size, struct random_data *data)
{
    if (size < 8)
        return refuse();
    if (data->state)
        mark(data);
    int type = size < 32 ? 0 : size < 64 ? 1 : size < 128 ? 2 : size < 256 ? 3 : 4;
    use(data, (int32_t *)memory + 1, type);
    seed(data, value);
    mark(data);
    return 0;
}

static int switch_to(char *memory, struct random_data *data)
{
    mark(data); /* first: it may be the same memory */
    int32_t *state = (int32_t *)memory + 1;
    int type = state[-1] % TYPES, position = state[-1] / TYPES;
    if (type < 0)
        return refuse();
    use(data, state, type);
    if (type) {
        data->rptr = state + position;
        data->fptr = state + (position + data->rand_sep) % data->rand_deg;
    }
    return 0;
}

INLINE long shared_next(void)
{
    __tb_hidden_state(&shared);
    return next(&shared);
}

INLINE void shared_seed(unsigned value)
{
    __tb_hidden_state(&shared);
    seed(&shared, value);
}

long random(void) { return shared_next(); }

int rand(void) { return (int)shared_next(); }

void srandom(unsigned value) { shared_seed(value); }

void srand(unsigned value) { shared_seed(value); }

char *initstate(unsigned value, char *memory, size_t size)
{
    __tb_hidden_state(&shared);
    char *before = (char *)(shared.state - 1);
    return start(value, memory, size, &shared) ? NULL : before;
}

char *setstate(char *memory)
{
    __tb_hidden_state(&shared);
    char *before = (char *)(shared.state - 1);
    return switch_to(memory, &shared) ? NULL : before;
}

int random_r(struct random_data *restrict data, int32_t *restrict result)
{
    *result = next(data);
    return 0;
}

int srandom_r(unsigned value, struct random_data *data) { return seed(data, value); }

int initstate_r(unsigned value, char *restrict memory, size_t size, struct random_data *restrict data)
{
    return start(value, memory, size, data);
}

int setstate_r(char *restrict memory, struct random_data *restrict data)
{
    return switch_to(memory, data);
}

/* Three steps of a congruence, of which the upper bits are put together: 11 + 10 + 10. */
int rand_r(unsigned *state)
{
    unsigned word = *state, result = 0;
    for (int i = 0; i < 3; i++) {
        word = word * 1103515245 + 12345;
        result = result << 10 | (word >> 16 & (i ? 1023 : 2047));
    }
    *state = word;
    return (int)result;
}

/* ---- drand48: x = a × x + c modulo 2^48 ---- */

#define MULTIPLIER 0x5deece66dull
#define INCREMENT 0xb

static struct drand48_data shared48;

static void init48(struct drand48_data *data)
{
    if (!data->__init) {
        data->__a = MULTIPLIER;
        data->__c = INCREMENT;
        data->__init = 1;
    }
}

static uint64_t step48(unsigned short x[3], struct drand48_data *data)
{
    init48(data);
    uint64_t value = ((uint64_t)x[2] << 32 | (uint64_t)x[1] << 16 | x[0]) * data->__a + data->__c;
    x[0] = (unsigned short)value;
    x[1] = (unsigned short)(value >> 16);
    x[2] = (unsigned short)(value >> 32);
    return value & 0xffffffffffff;
}

INLINE double real48(uint64_t x) { return (double)x / (double)((uint64_t)1 << 48); }
INLINE long unsigned48(uint64_t x) { return (long)(x >> 17); }
INLINE long signed48(uint64_t x) { return (int32_t)(x >> 16); }

double drand48(void) { return real48(step48(shared48.__x, &shared48)); }
long lrand48(void) { return unsigned48(step48(shared48.__x, &shared48)); }
long mrand48(void) { return signed48(step48(shared48.__x, &shared48)); }
double erand48(unsigned short x[3]) { return real48(step48(x, &shared48)); }
long nrand48(unsigned short x[3]) { return unsigned48(step48(x, &shared48)); }
long jrand48(unsigned short x[3]) { return signed48(step48(x, &shared48)); }

static void seed48_data(const unsigned short x[3], struct drand48_data *data)
{
    for (int i = 0; i < 3; i++) {
        data->__old_x[i] = data->__x[i];
        data->__x[i] = x[i];
    }
    data->__a = MULTIPLIER;
    data->__c = INCREMENT;
    data->__init = 1;
}

static void srand48_data(long value, struct drand48_data *data)
{
    data->__x[0] = 0x330e;
    data->__x[1] = (unsigned short)value;
    data->__x[2] = (unsigned short)(value >> 16);
    data->__a = MULTIPLIER;
    data->__c = INCREMENT;
    data->__init = 1;
}

static void lcong48_data(const unsigned short p[7], struct drand48_data *data)
{
    for (int i = 0; i < 3; i++)
        data->__x[i] = p[i];
    data->__a = (uint64_t)p[5] << 32 | (uint64_t)p[4] << 16 | p[3];
    data->__c = p[6];
    data->__init = 1;
}

void srand48(long value) { srand48_data(value, &shared48); }

unsigned short *seed48(unsigned short x[3])
{
    seed48_data(x, &shared48);
    return shared48.__old_x;
}

void lcong48(unsigned short p[7]) { lcong48_data(p, &shared48); }

int srand48_r(long value, struct drand48_data *data)
{
    srand48_data(value, data);
    return 0;
}

int seed48_r(unsigned short x[3], struct drand48_data *data)
{
    seed48_data(x, data);
    return 0;
}

int lcong48_r(unsigned short p[7], struct drand48_data *data)
{
    lcong48_data(p, data);
    return 0;
}

#define REENTRANT(name, type, conversion)                                                                              \
    int name(struct drand48_data *restrict data, type *restrict result)                                                \
    {                                                                                                                  \
        *result = conversion(step48(data->__x, data));                                                                 \
        return 0;                                                                                                      \
    }
#define REENTRANT_ON(name, type, conversion)                                                                           \
    int name(unsigned short x[3], struct drand48_data *restrict data, type *restrict result)                           \
    {                                                                                                                  \
        *result = conversion(step48(x, data));                                                                         \
        return 0;                                                                                                      \
    }

REENTRANT(drand48_r, double, real48)
REENTRANT(lrand48_r, long, unsigned48)
REENTRANT(mrand48_r, long, signed48)
REENTRANT_ON(erand48_r, double, real48)
REENTRANT_ON(nrand48_r, long, unsigned48)
REENTRANT_ON(jrand48_r, long, signed48)

/* ---- what is really random elsewhere: here it has a fixed seed, so that every execution can be repeated ---- */

static uint64_t entropy = 0x7468726561646261;

/* splitmix64 */
static uint64_t next_entropy(void)
{
    uint64_t z = entropy += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void fill(unsigned char *to, size_t n)
{
    __tb_hidden_state(&entropy);
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++, word >>= 8) {
        if (i % 8 == 0)
            word = next_entropy();
        to[i] = (unsigned char)word;
    }
}

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    (void)flags;
    fill(to, n);
    return (ssize_t)n;
}

int getentropy(void *to, size_t n)
{
    if (n > 256) {
        errno = EIO;
        return -1;
    }
    fill(to, n);
    return 0;
}

uint32_t arc4random(void)
{
    __tb_hidden_state(&entropy);
    return (uint32_t)next_entropy();
}

void arc4random_buf(void *to, size_t n) { fill(to, n); }

uint32_t arc4random_uniform(uint32_t bound)
{
    __tb_hidden_state(&entropy);
    return (uint32_t)((next_entropy() >> 32) * bound >> 32);
}
