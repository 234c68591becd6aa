// A queue with a lock for each end, but without the dummy node of Michael and Scott's. An empty queue, and one of a
// single node, is changed at both ends at once.
// expect: kind=data-race line=30 exit=1
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
    if (tail)
        tail->next = node;
    else
        head = node;
    tail = node;
    pthread_mutex_unlock(&back);
}

static int take(int *value)
{
    int got = 0;
    pthread_mutex_lock(&front);
    struct node *first = head;
    if (first) {
        *value = first->value;
        head = first->next;
        if (!head) tail = NULL;
        free(first);
        got = 1;
    }
    pthread_mutex_unlock(&front);
    return got;
}

static void *producer(void *u) { put(1); put(2); return u; }
static void *consumer(void *u) { int v; if (take(&v)) assert(v == 1); return u; }

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
