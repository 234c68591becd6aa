// Michael and Scott's queue with two locks: a dummy node keeps the ends apart, so that they are never guarded by both
// locks.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *_Atomic next; };
static struct node *head, *tail;
static pthread_mutex_t front = PTHREAD_MUTEX_INITIALIZER, back = PTHREAD_MUTEX_INITIALIZER;

static void put(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = NULL;
    pthread_mutex_lock(&back);
    tail->next = node;
    tail = node;
    pthread_mutex_unlock(&back);
}

static int take(int *value)
{
    int got = 0;
    pthread_mutex_lock(&front);
    struct node *old = head, *first = old->next;
    if (first) { *value = first->value; head = first; free(old); got = 1; }
    pthread_mutex_unlock(&front);
    return got;
}

static void *producer(void *u) { put(1); put(2); return u; }
static void *consumer(void *u) { int v; if (take(&v)) assert(v == 1); return u; }

int main(void)
{
    pthread_t p, c;
    head = tail = calloc(1, sizeof *head);
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
