// One thread puts N bytes into a buffer of SIZE, main takes them out; semaphores, made of a mutex and a condition variable,
// count what is there and what is free. Main asserts that the buffer is empty when it starts, which is so unless the
// producer comes first.
//
// After the producer and consumer of the SCALE thesis (section 6.5), whose assertion two other tools see hold. Every access
// to a shared variable is an event (`--races allow`).
//     -DN=n -DSIZE=s
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1
#endif
#ifndef SIZE
#define SIZE 2
#endif

struct semaphore {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int value;
    int granted;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct semaphore filled = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static struct semaphore empty = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static unsigned count;
static unsigned char buffer[SIZE];

static void set_up(struct semaphore *semaphore, int value)
{
    semaphore->value = value;
    semaphore->granted = 0;
}

static void down(struct semaphore *semaphore)
{
    pthread_mutex_lock(&semaphore->mutex);
    int value = semaphore->value - 1;
    semaphore->value = value;
    if (value < 0) {
        while (semaphore->granted == 0)
            pthread_cond_wait(&semaphore->changed, &semaphore->mutex);
        semaphore->granted = 0;
    }
    pthread_mutex_unlock(&semaphore->mutex);
}

static void up(struct semaphore *semaphore)
{
    pthread_mutex_lock(&semaphore->mutex);
    int value = semaphore->value + 1;
    semaphore->value = value;
    if (value <= 0) {
        semaphore->granted = 1;
        pthread_cond_signal(&semaphore->changed);
    }
    pthread_mutex_unlock(&semaphore->mutex);
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < N; i++) {
        down(&empty);
        pthread_mutex_lock(&mutex);
        buffer[i % SIZE] = (unsigned char)i;
        count++;
        pthread_mutex_unlock(&mutex);
        up(&filled);
    }
    return NULL;
}

static void consume(void)
{
    assert(count == 0);
    for (int i = 0; i < N; i++) {
        down(&filled);
        pthread_mutex_lock(&mutex);
        unsigned char byte = buffer[i % SIZE];
        count--;
        assert(byte == (unsigned char)i);
        pthread_mutex_unlock(&mutex);
        up(&empty);
    }
}

int main(void)
{
    pthread_t thread;
    set_up(&filled, 0);
    set_up(&empty, SIZE);
    pthread_create(&thread, NULL, produce, NULL);
    consume();
    pthread_join(thread, NULL);
    return 0;
}
