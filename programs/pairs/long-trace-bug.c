// A writer sets a value in two steps, and a reader that looks between them sees half a value. Two clerks, who come
// first, do a lot of other work that has nothing to do with it. A search that runs one thread to its end before it
// starts the next one meets the bug behind all that work; the shortest schedule has no step of the clerks, and only
// the first steps of writer and reader.
// expect: kind=assertion line=35 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define PIECES 30

static atomic_int value = 11;
static atomic_int progress[2];

static void *clerk(void *argument)
{
    int me = *(int *)argument;
    for (int i = 0; i < PIECES; i++)
        progress[me]++;
    return NULL;
}

static void *write_value(void *unused)
{
    (void)unused;
    value = 21;
    value = 22;
    return NULL;
}

static void *read_value(void *unused)
{
    (void)unused;
    int seen = value;
    assert(seen % 11 == 0);
    return NULL;
}

int main(void)
{
    static int ids[2] = {0, 1};
    pthread_t clerks[2], writer, reader;
    for (int i = 0; i < 2; i++)
        pthread_create(&clerks[i], NULL, clerk, &ids[i]);
    pthread_create(&writer, NULL, write_value, NULL);
    pthread_create(&reader, NULL, read_value, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(clerks[i], NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
