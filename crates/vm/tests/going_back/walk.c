/* A bit of everything that changes the machine's state: heap, stack, locks, waits, atomics, thread-local data. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int value;
    unsigned char flag : 3, rest : 5;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t tokens;
static pthread_barrier_t barrier;
static struct node *list;
static int length;
static atomic_int turns;
static volatile int noise;
static _Thread_local int mine[4];

static int fold(int depth, const int *from) {
    int local[3] = {depth, *from, noise};
    if (depth == 0)
        return local[0] + local[1];
    return fold(depth - 1, local) + local[2];
}

static void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->flag = value & 7;
    pthread_mutex_lock(&lock);
    n->next = list;
    list = n;
    length++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int pop(void) {
    pthread_mutex_lock(&lock);
    while (!list)
        pthread_cond_wait(&changed, &lock);
    struct node *n = list;
    list = n->next;
    length--;
    pthread_mutex_unlock(&lock);
    int value = n->value + n->flag;
    free(n);
    return value;
}

static void *producer(void *arg) {
    int id = *(int *)arg;
    for (int i = 0; i < 4; i++) {
        mine[i & 3] = fold(i, &id);
        push(mine[i & 3]);
        atomic_fetch_add(&turns, 1);
        noise = i;
        if (i == 1)
            sem_post(&tokens);
    }
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *consumer(void *arg) {
    char *text = calloc(1, 40);
    int sum = 0;
    sem_wait(&tokens);
    for (int i = 0; i < 8; i++) {
        sum += pop();
        snprintf(text, 40, "%d:%d", i, sum);
        int expected = atomic_load(&turns);
        atomic_compare_exchange_strong(&turns, &expected, expected);
    }
    *(size_t *)arg = strlen(text);
    free(text);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int ids[2] = {1, 2};
    size_t written = 0;
    sem_init(&tokens, 0, 0);
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&t[0], NULL, producer, &ids[0]);
    pthread_create(&t[1], NULL, producer, &ids[1]);
    pthread_create(&t[2], NULL, consumer, &written);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %zu\n", length, written);
    return 0;
}
