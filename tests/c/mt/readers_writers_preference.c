// readers and writers with preference to writers, from a mutex and condition variables
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t can_read = PTHREAD_COND_INITIALIZER, can_write = PTHREAD_COND_INITIALIZER;
static int readers, writing, writers_waiting;
static int data[3];

static void read_lock(void) {
    pthread_mutex_lock(&m);
    while (writing || writers_waiting)
        pthread_cond_wait(&can_read, &m);
    readers++;
    pthread_mutex_unlock(&m);
}

static void read_unlock(void) {
    pthread_mutex_lock(&m);
    if (--readers == 0)
        pthread_cond_signal(&can_write);
    pthread_mutex_unlock(&m);
}

static void write_lock(void) {
    pthread_mutex_lock(&m);
    writers_waiting++;
    while (writing || readers)
        pthread_cond_wait(&can_write, &m);
    writers_waiting--;
    writing = 1;
    pthread_mutex_unlock(&m);
}

static void write_unlock(void) {
    pthread_mutex_lock(&m);
    writing = 0;
    pthread_cond_signal(&can_write);
    pthread_cond_broadcast(&can_read);
    pthread_mutex_unlock(&m);
}

static void *writer(void *arg) {
    for (int i = 0; i < 8; i++) {
        write_lock();
        for (int k = 0; k < 3; k++)
            data[k] += *(int *)arg;
        write_unlock();
    }
    return NULL;
}

static void *reader(void *arg) {
    for (int i = 0; i < 8; i++) {
        read_lock();
        *(int *)arg += data[0] != data[1] || data[1] != data[2];
        read_unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t w[2], r[2];
    int step[2] = {1, 5}, bad[2] = {0};
    for (int i = 0; i < 2; i++) {
        pthread_create(&w[i], NULL, writer, &step[i]);
        pthread_create(&r[i], NULL, reader, &bad[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(w[i], NULL);
        pthread_join(r[i], NULL);
    }
    printf("%d %d %d bad %d\n", data[0], data[1], data[2], bad[0] + bad[1]);
    return 0;
}
