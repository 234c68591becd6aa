// Two workers take two locks in the same order, while main waits in a loop until both have reported.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int reports;

static void *first_left(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    reports++;
    return NULL;
}

static void *first_right(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    reports++;
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, first_left, NULL);
    pthread_create(&two, NULL, first_right, NULL);
    while (reports < 2)
        ;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
