// A detached thread is given a number of its own, and frees it.
// expect: proved
#include <pthread.h>
#include <stdlib.h>

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *argument)
{
    pthread_mutex_lock(&lock);
    sum += *(int *)argument;
    pthread_mutex_unlock(&lock);
    free(argument);
    return NULL;
}

static void start(int n)
{
    pthread_t t;
    int *number = malloc(sizeof *number);
    *number = n;
    pthread_create(&t, NULL, add, number);
    pthread_detach(t);
}

int main(void)
{
    start(1);
    start(2);
    pthread_exit(NULL);
}
