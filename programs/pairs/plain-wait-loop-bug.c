// A loop that waits for a plain variable.
// expect: kind=data-race line=6 exit=1
#include <pthread.h>

static int ready;
static void *setter(void *u) { ready = 1; return u; }

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    while (!ready)
        ;
    pthread_join(t, NULL);
    return 0;
}
