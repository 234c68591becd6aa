// A mailbox of one slot. A sender claims the slot with a compare-exchange before it writes.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

enum { FREE, CLAIMED, FULL };

static atomic_int state = FREE;
static int letter;

static void *send(void *text)
{
    int expected = FREE;
    if (atomic_compare_exchange_strong(&state, &expected, CLAIMED)) {
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
