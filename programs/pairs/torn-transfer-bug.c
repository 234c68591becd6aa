// A transfer between two accounts takes the money from one in a critical section, and gives it to the other in a
// second one. An auditor who comes in between finds too little money. He reports it with __VERIFIER_error, as the
// programs of the competition on software verification do.
// expect: kind=assertion line=34 exit=1
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
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
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
