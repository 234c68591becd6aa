// A detached thread is given the address of a variable of a function that returns.
// expect: kind=use-after-free line=12 exit=1
#include <pthread.h>
#include <stdlib.h>

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *argument)
{
    pthread_mutex_lock(&lock);
    sum += *(int *)argument;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start(int n)
{
    pthread_t t;
    pthread_create(&t, NULL, add, &n);
    pthread_detach(t);
}

int main(void)
{
    start(1);
    start(2);
    pthread_exit(NULL);
}
