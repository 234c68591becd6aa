// The temperature is set under a lock, and read without: "reading cannot break anything".
// expect: kind=data-race line=12|19 exit=1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double temperature = 20.0;

static void *measure(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    temperature = 21.5;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *show(void *display)
{
    *(double *)display = temperature;
    return NULL;
}

int main(void)
{
    static double display;
    pthread_t sensor, panel;
    pthread_create(&sensor, NULL, measure, NULL);
    pthread_create(&panel, NULL, show, &display);
    pthread_join(sensor, NULL);
    pthread_join(panel, NULL);
    return display > 30.0 ? 1 : 0;
}
