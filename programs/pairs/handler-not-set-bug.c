// Events are handled through a function pointer that the main program sets after it has started the thread that
// receives them.
// expect: kind=null-dereference line=17 exit=1
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
    pthread_create(&receiver, NULL, receive, NULL);
    handler = count;
    pthread_join(receiver, NULL);
    return handled == 1 ? 0 : 1;
}
