// Two threads set different flags, each its own. But the flags are bit-fields of one word: setting one reads and
// writes the other one as well.
// expect: kind=data-race line=16|23 exit=1
#include <pthread.h>

struct state {
    unsigned connected : 1;
    unsigned authorised : 1;
};

static struct state state;

static void *connect_it(void *unused)
{
    (void)unused;
    state.connected = 1;
    return NULL;
}

static void *authorise_it(void *unused)
{
    (void)unused;
    state.authorised = 1;
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, connect_it, NULL);
    pthread_create(&two, NULL, authorise_it, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return state.connected && state.authorised ? 0 : 1;
}
