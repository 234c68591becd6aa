// Events are handled through a function pointer that is set before the thread that receives them is started.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int handled;

static void count(int event) { atomic_fetch_add(&handled, event); }

static void (*_Atomic handler)(int);

static void *receive(void *unused)
{
    (void)unused;
    handler(1);
    return NULL;
}

int main(void)
{
    pthread_t receiver;
    handler = count;
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(receiver, NULL);
    return handled == 1 ? 0 : 1;
}
