// A transmission may fail and is then tried once more. Packets carry a number, and the receiver counts each once.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef __THREADBARE__
_Bool __VERIFIER_nondet_bool(void);
#else
static bool __VERIFIER_nondet_bool(void) { return false; }
#endif

static atomic_int on_the_line;
static atomic_bool confirmed;
static int received, last_number;

static void *send(void *unused)
{
    (void)unused;
    bool lost = __VERIFIER_nondet_bool();
    if (!lost)
        on_the_line = 1;
    if (!confirmed)
        on_the_line = 1;
    return NULL;
}

static void *receive(void *unused)
{
    (void)unused;
    for (int look = 0; look < 2; look++) {
        int number = atomic_exchange(&on_the_line, 0);
        if (number > last_number) {
            last_number = number;
            received++;
            assert(received == 1);
            confirmed = true;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
