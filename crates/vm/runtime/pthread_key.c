/* Keys: values that each thread has of its own, with destructors. C11's tss_* are the same thing.
 *
 * The table of keys is hidden state of the library: who creates and deletes keys in which order decides their numbers.
 * A thread's values lie in thread-local memory. A value belongs to one generation of its key, so that it is not seen any
 * more when the key was deleted and its number given out again.
 * To use a key that is being deleted is undefined, so get and set read its entry without a visible operation; a
 * thread that ends may do so while another one deletes the key, and goes through the hidden state. */
#include "tb_pthread.h"

struct key {
    void (*destructor)(void *);
    unsigned generation; /* counts creations and deletions: never 0 in a key that is in use */
    unsigned used;
};

struct slot {
    const void *value;
    unsigned generation; /* of the key when the value was set */
};

enum { FEW = 8 };

static struct key key_table[PTHREAD_KEYS_MAX];

/* Nearly every program has few keys; the memory of a thread should not grow for the others. */
static _Thread_local struct {
    struct slot few[FEW];
    struct slot *more; /* keys FEW.. in a block of its own, or NULL */
    unsigned capacity;
    unsigned set; /* 1 + the highest key that ever had a value here: what the end of the thread looks at */
} values;

int __tbi_key_create(unsigned *key, void (*destructor)(void *))
{
    if (destructor)
        __tb_need_function((void (*)(void))destructor, 1);
    __tb_hidden_state(key_table);
    for (unsigned k = 0; k < PTHREAD_KEYS_MAX; k++) {
        if (key_table[k].used)
            continue;
        key_table[k].destructor = destructor;
        key_table[k].generation++;
        key_table[k].used = 1;
        *key = k;
        return 0;
    }
    return EAGAIN;
}

int __tbi_key_delete(unsigned key)
{
    __tb_hidden_state(key_table);
    if (key >= PTHREAD_KEYS_MAX || !key_table[key].used)
        return EINVAL;
    key_table[key].used = 0;
    key_table[key].generation++;
    return 0;
}

/* The thread's slot of a key, or NULL if it has none yet. */
INLINE struct slot *slot_of(unsigned key)
{
    if (key < FEW)
        return &values.few[key];
    return key - FEW < values.capacity ? &values.more[key - FEW] : NULL;
}

INLINE bool is_current(unsigned key, const struct slot *slot)
{
    return slot->generation == key_table[key].generation;
}

void *__tbi_key_get(unsigned key)
{
    if (key >= PTHREAD_KEYS_MAX)
        return NULL;
    struct slot *slot = slot_of(key);
    return slot && slot->value && is_current(key, slot) ? (void *)slot->value : NULL;
}

/* Makes room for a key beyond the first few; false if there is no memory. */
static bool grow(unsigned key)
{
    unsigned capacity = (key - FEW) / 32 * 32 + 32;
    struct slot *more = __tb_malloc(capacity * sizeof *more, _Alignof(struct slot), TB_ZEROED);
    if (!more)
        return false;
    if (values.more) {
        __tb_memcpy(more, values.more, values.capacity * sizeof *more);
        __tb_free(values.more);
    }
    values.more = more;
    values.capacity = capacity;
    return true;
}

int __tbi_key_set(unsigned key, const void *value)
{
    if (key >= PTHREAD_KEYS_MAX || !key_table[key].used)
        return EINVAL;
    struct slot *slot = slot_of(key);
    if (!slot) {
        if (!value)
            return 0;
        if (!grow(key))
            return ENOMEM;
        slot = slot_of(key);
    }
    slot->value = value;
    slot->generation = key_table[key].generation;
    if (key >= values.set)
        values.set = key + 1;
    return 0;
}

/* The value goes before its destructor is called, which may set a new one. Returns whether there was one to call. */
static bool destroy_value(unsigned key)
{
    struct slot *slot = slot_of(key);
    if (!slot || !slot->value)
        return false;
    __tb_hidden_state(key_table);
    void *value = (void *)slot->value;
    void (*destructor)(void *) = is_current(key, slot) ? key_table[key].destructor : NULL;
    slot->value = NULL;
    if (!destructor)
        return false;
    destructor(value);
    return true;
}

static bool destroy_round(void)
{
    bool called = false;
    for (unsigned key = 0; key < values.set; key++)
        called |= destroy_value(key);
    return called;
}

void __tbi_keys_destroy(void)
{
    /* Nearly every thread has none, and every execution of a search ends many threads. */
    if (!values.set)
        return;
    __tb_cancel_state(PTHREAD_CANCEL_DISABLE);
    int rounds = 0;
    while (rounds < PTHREAD_DESTRUCTOR_ITERATIONS && destroy_round())
        rounds++;
    if (values.more)
        __tb_free(values.more);
    values.more = NULL;
    values.capacity = 0;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) { return __tbi_key_create(key, destructor); }
int pthread_key_delete(pthread_key_t key) { return __tbi_key_delete(key); }
void *pthread_getspecific(pthread_key_t key) { return __tbi_key_get(key); }
int pthread_setspecific(pthread_key_t key, const void *value) { return __tbi_key_set(key, value); }

TB_SECOND_NAME(int, __pthread_key_create, (pthread_key_t * key, void (*destructor)(void *)),
               __tbi_key_create(key, destructor))
TB_SECOND_NAME(int, __pthread_key_delete, (pthread_key_t key), __tbi_key_delete(key))
TB_SECOND_NAME(void *, __pthread_getspecific, (pthread_key_t key), __tbi_key_get(key))
TB_SECOND_NAME(int, __pthread_setspecific, (pthread_key_t key, const void *value), __tbi_key_set(key, value))
