// pthread spin locks: lock, trylock with EBUSY, unlock, destroy
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static long count;

static void *add(void *arg) {
    for (int i = 0; i < 30; i++) {
        pthread_spin_lock(&lock);
        count += *(int *)arg;
        pthread_spin_unlock(&lock);
    }
    return NULL;
}

static void *try_it(void *arg) {
    *(int *)arg = pthread_spin_trylock(&lock);
    return NULL;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_t t[3];
    int step[3] = {1, 10, 100};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, add, &step[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", count);
    int rc;
    printf("try %d\n", pthread_spin_trylock(&lock));
    pthread_create(&t[0], NULL, try_it, &rc);
    pthread_join(t[0], NULL);
    printf("busy %d\n", rc == EBUSY);
    pthread_spin_unlock(&lock);
    printf("destroy %d\n", pthread_spin_destroy(&lock));
    return 0;
}
