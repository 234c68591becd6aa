// Readers count themselves under a mutex; the last one gives the room back, and looks at nothing after that.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers, value, copy;

static void *reader(void *u)
{
    pthread_mutex_lock(&guard);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&guard);
    assert(value == copy);
    pthread_mutex_lock(&guard);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&guard);
    return u;
}

static void *writer(void *u) { sem_wait(&room); value++; copy++; sem_post(&room); return u; }

int main(void)
{
    pthread_t t[3];
    sem_init(&room, 0, 1);
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_create(&t[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
