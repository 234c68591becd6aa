// A meter counts measurements and their sum. A display shows the average: it divides by the number that it has
// checked.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum = 84, count = 2;
static atomic_int shown;

static void *display(void *unused)
{
    (void)unused;
    int now = count;
    if (now > 0)
        shown = sum / now;
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
