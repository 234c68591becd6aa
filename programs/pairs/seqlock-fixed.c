// A clock of two words under a sequence number: odd while the writer is at work. The reader takes the words only if
// the number was even and is still the same after it has read them.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int hours = 9, minutes = 59;

static void *tick(void *unused)
{
    (void)unused;
    sequence++;
    minutes = 0;
    hours = 10;
    sequence++;
    return NULL;
}

static void *look(void *unused)
{
    (void)unused;
    unsigned before;
    int h, m;
    do {
        while ((before = sequence) % 2 == 1)
            ;
        h = hours;
        m = minutes;
    } while (sequence != before);
    int time = h * 60 + m;
    assert(time == 9 * 60 + 59 || time == 10 * 60);
    return NULL;
}

int main(void)
{
    pthread_t clock, reader;
    pthread_create(&clock, NULL, tick, NULL);
    pthread_create(&reader, NULL, look, NULL);
    pthread_join(clock, NULL);
    pthread_join(reader, NULL);
    return 0;
}
