// Two threads have a byte each of one word, and touch nothing else of it.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static union { uint32_t word; uint8_t byte[4]; } status;

static void *first(void *u)
{
    status.byte[0] = 0;
    status.byte[0] = 1;
    return u;
}

static void *second(void *u) { status.byte[1] = 2; return u; }

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(status.byte[0] == 1 && status.byte[1] == 2);
    return 0;
}
