// A message is published through an atomic pointer, with release and acquire.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct message {
    int text;
};

static struct message storage;
static _Atomic(struct message *) mailbox;

static void *send(void *unused)
{
    (void)unused;
    storage.text = 42;
    atomic_store_explicit(&mailbox, &storage, memory_order_release);
    return NULL;
}

static void *receive(void *answer)
{
    struct message *message = atomic_load_explicit(&mailbox, memory_order_acquire);
    if (message)
        *(int *)answer = message->text;
    return NULL;
}

int main(void)
{
    static int answer = 42;
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, &answer);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return answer == 42 ? 0 : 1;
}
