/* Everything that has a name in a report: members, elements, enumerators, numbers of every kind, pointers to variables, to
 * parts of them, to heap objects and functions, thread-local and local variables, and the objects of synchronisation. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum colour { RED, GREEN = 7 };

struct node {
    _Atomic int key;
    struct node *_Atomic next;
};

static struct {
    struct {
        _Atomic(struct node *) head;
        _Atomic char letters[3][2];
    } list;
    _Atomic double weight;
    _Atomic float half;
    _Atomic enum colour colour;
    _Atomic bool set;
    _Atomic unsigned char small;
    _Atomic unsigned long big;
} store;

static _Atomic(int (*)(void)) callback;
static _Atomic(pthread_mutex_t *) lock_of_all;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t room;
static __thread _Atomic int mine;
static int plain, table[4];

static int seven(void) { return 7; }

static void *work(void *argument)
{
    _Atomic int *shared = argument;
    struct node *n = malloc(sizeof *n);
    atomic_init(&n->next, NULL);
    n->key = *shared;
    n->next = store.list.head;
    store.list.head = n;
    store.list.letters[2][1] = 'x';
    store.weight = 1.25;
    store.half = 0.5f;
    store.colour = GREEN;
    store.set = true;
    store.small = 200;
    store.big = -1ul;
    callback = seven;
    lock_of_all = &locks[1];
    mine = -3;
    pthread_mutex_lock(&locks[1]);
    plain = table[2] + 4;
    table[3] = plain;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&locks[1]);
    sem_post(&room);
    *shared = n->key + 1;
    return n;
}

int main(void)
{
    _Atomic int number = 41;
    pthread_t thread;
    sem_init(&room, 0, 0);
    pthread_create(&thread, NULL, work, (void *)&number);
    sem_wait(&room);
    pthread_mutex_lock(&locks[1]);
    int sum = plain + table[3];
    pthread_mutex_unlock(&locks[1]);
    pthread_join(thread, NULL);
    struct node *first = store.list.head;
    assert(first->key + sum + number == 0);
    free(first);
    return 0;
}
