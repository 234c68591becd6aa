// Two threads set different flags, each its own, in a byte of its own.
// expect: proved
#include <pthread.h>
#include <stdbool.h>

struct state {
    bool connected;
    bool authorised;
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
