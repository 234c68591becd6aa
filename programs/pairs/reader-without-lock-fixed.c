// The temperature is set and read under the same lock.
// expect: proved
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
    pthread_mutex_lock(&lock);
    *(double *)display = temperature;
    pthread_mutex_unlock(&lock);
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
