// A thread hands out the address of a thread-local variable, and ends.
// expect: kind=use-after-free line=24 exit=1
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int mine;
static int *_Atomic published;
static atomic_int used;

static void *owner(void *u)
{
    mine = 5;
    atomic_store(&published, &mine);
    return u;
}

int main(void)
{
    pthread_t t;
    int *p;
    pthread_create(&t, NULL, owner, NULL);
    while (!(p = atomic_load(&published)))
        ;
    int value = *p;
    atomic_store(&used, 1);
    pthread_join(t, NULL);
    return value != 5;
}
