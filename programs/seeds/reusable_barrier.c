// A barrier that can be used again: the last of N threads that come in opens the gate, the last that goes out closes
// it. Every thread, main among them, passes it STEPS times.
//
// After the reusable barrier of the SCALE thesis (table 6.3). Its counts are those of `--races allow`.
//     -DN=n -DSTEPS=s
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef STEPS
#define STEPS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int inside;
static int open;

static void come_in(void)
{
    pthread_mutex_lock(&mutex);
    inside++;
    if (inside == N) {
        open = 1;
        pthread_cond_broadcast(&changed);
    } else {
        while (open == 0)
            pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void go_out(void)
{
    pthread_mutex_lock(&mutex);
    inside--;
    if (inside == 0) {
        open = 0;
        pthread_cond_broadcast(&changed);
    } else {
        while (open == 1)
            pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void *pass(void *unused)
{
    (void)unused;
    for (int step = 0; step < STEPS; step++) {
        come_in();
        go_out();
    }
    return NULL;
}

int main(void)
{
    pthread_t others[N];
    for (int i = 1; i < N; i++)
        pthread_create(&others[i], NULL, pass, NULL);
    pass(NULL);
    for (int i = 1; i < N; i++)
        pthread_join(others[i], NULL);
    return 0;
}
