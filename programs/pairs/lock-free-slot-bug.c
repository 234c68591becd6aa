// A mailbox of one slot without a lock. A sender writes its letter if the slot is free, and says that it is full
// then. A second sender can find the slot free as well, and both write into it.
// expect: kind=data-race line=15|29 exit=1
#include <pthread.h>
#include <stdatomic.h>

enum { FREE, CLAIMED, FULL };

static atomic_int state = FREE;
static int letter;

static void *send(void *text)
{
    if (state == FREE) {
        letter = *(int *)text;
        state = FULL;
    }
    return NULL;
}

int main(void)
{
    static int texts[2] = {47, 11};
    pthread_t senders[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&senders[i], NULL, send, &texts[i]);
    int got = 47;
    if (state == FULL)
        got = letter;
    for (int i = 0; i < 2; i++)
        pthread_join(senders[i], NULL);
    return got == 47 || got == 11 ? 0 : 1;
}
