// A meter counts measurements and their sum. A display shows the average if there is any measurement; a reset may
// come between that check and the division.
// expect: kind=crash line=14 exit=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum = 84, count = 2;
static atomic_int shown;

static void *display(void *unused)
{
    (void)unused;
    if (count > 0)
        shown = sum / count;
    return NULL;
}

static void *reset(void *unused)
{
    (void)unused;
    sum = 0;
    count = 0;
    return NULL;
}

int main(void)
{
    pthread_t reader, button;
    pthread_create(&reader, NULL, display, NULL);
    pthread_create(&button, NULL, reset, NULL);
    pthread_join(reader, NULL);
    pthread_join(button, NULL);
    return 0;
}
