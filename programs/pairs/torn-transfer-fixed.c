// A transfer between two accounts is one critical section. An auditor always finds all the money.
// expect: proved
#include <pthread.h>

#ifdef __THREADBARE__
void __VERIFIER_error(void);
#else
#include <stdlib.h>
static void __VERIFIER_error(void) { abort(); }
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int giro = 100, savings = 100;

static void *transfer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    giro -= 30;
    savings += 30;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *audit(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (giro + savings != 200)
        __VERIFIER_error();
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t clerk, auditor;
    pthread_create(&clerk, NULL, transfer, NULL);
    pthread_create(&auditor, NULL, audit, NULL);
    pthread_join(clerk, NULL);
    pthread_join(auditor, NULL);
    return 0;
}
