// pthread_self and pthread_equal: equal to itself, to what create stored, different from living others
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t bar;
static pthread_t self_of[4];

static void *record(void *arg) {
    pthread_t *slot = arg;
    *slot = pthread_self();
    pthread_barrier_wait(&bar);
    int differ = 1;
    for (int i = 0; i < 4; i++)
        if (&self_of[i] != slot && pthread_equal(self_of[i], pthread_self()))
            differ = 0;
    pthread_barrier_wait(&bar);
    return differ ? slot : NULL;
}

int main(void) {
    pthread_t t[4];
    pthread_barrier_init(&bar, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, record, &self_of[i]);
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(t[i], &r);
        printf("%d %d\n", r == &self_of[i], !!pthread_equal(t[i], self_of[i]));
    }
    printf("main %d\n", !!pthread_equal(pthread_self(), pthread_self()));
    pthread_barrier_destroy(&bar);
    return 0;
}
