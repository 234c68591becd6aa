// futures: a value computed by a detached thread, waited for by several others
#include <pthread.h>
#include <stdio.h>

struct future {
    pthread_mutex_t m;
    pthread_cond_t c;
    int done, arg, value;
};

static int collatz(int n) {
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void *compute(void *p) {
    struct future *f = p;
    int v = collatz(f->arg);
    pthread_mutex_lock(&f->m);
    f->value = v;
    f->done = 1;
    pthread_cond_broadcast(&f->c);
    pthread_mutex_unlock(&f->m);
    return NULL;
}

static void start(struct future *f, int arg) {
    pthread_mutex_init(&f->m, NULL);
    pthread_cond_init(&f->c, NULL);
    f->done = 0;
    f->arg = arg;
    pthread_t t;
    pthread_create(&t, NULL, compute, f);
    pthread_detach(t);
}

static int get(struct future *f) {
    pthread_mutex_lock(&f->m);
    while (!f->done)
        pthread_cond_wait(&f->c, &f->m);
    int v = f->value;
    pthread_mutex_unlock(&f->m);
    return v;
}

static struct future f[4];

static void *sum_all(void *arg) {
    for (int i = 0; i < 4; i++)
        *(int *)arg += get(&f[i]);
    return NULL;
}

int main(void) {
    for (int i = 0; i < 4; i++)
        start(&f[i], 6 + i * 3);
    pthread_t t[2];
    int sum[2] = {0};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sum_all, &sum[i]);
    for (int i = 3; i >= 0; i--)
        printf("%d: %d\n", f[i].arg, get(&f[i]));
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
        printf("sum %d\n", sum[i]);
    }
    return 0;
}
