// a hash table keyed by addresses: the buckets depend on the addresses, the output does not
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 8 };

static struct entry {
    const void *key;
    int value;
    struct entry *next;
} pool[16], *bucket[BUCKETS];

static unsigned hash(const void *p) {
    uintptr_t u = (uintptr_t)p;
    return (unsigned)(u >> 4 ^ u >> 9) % BUCKETS;
}

static int find(const void *key) {
    for (struct entry *e = bucket[hash(key)]; e; e = e->next)
        if (e->key == key)
            return e->value;
    return -1;
}

int main(void) {
    int objects[16];
    for (int i = 0; i < 16; i++) {
        unsigned h = hash(&objects[i]);
        pool[i] = (struct entry){&objects[i], i * 7, bucket[h]};
        bucket[h] = &pool[i];
    }
    for (int i = 0; i < 16; i += 5)
        printf("%d\n", find(&objects[i]));
    printf("%d %d\n", find(objects + 16), find(bucket));
    return 0;
}
