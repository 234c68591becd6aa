// A transmission may fail, which __VERIFIER_nondet_bool decides, and is then tried once more. The receiver confirms
// what it gets; a confirmation that is late makes the sender send again, and the receiver counts the packet twice.
// expect: kind=assertion line=36 exit=1
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
static int received;

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
        if (atomic_exchange(&on_the_line, 0)) {
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
