// A leader waits for the member of its team to say that it has finished, and joins it.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NOBODY, MEMBER, LEADER };

static pthread_t handles[3];
static atomic_int finished = NOBODY;

static void finish(int me)
{
    handles[me] = pthread_self();
    finished = me;
}

static void *member(void *unused)
{
    (void)unused;
    finish(MEMBER);
    return NULL;
}

static void *leader(void *unused)
{
    (void)unused;
    while (finished == NOBODY)
        ;
    pthread_join(handles[finished], NULL);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, member, NULL);
    pthread_create(&two, NULL, leader, NULL);
    pthread_join(two, NULL);
    return 0;
}
