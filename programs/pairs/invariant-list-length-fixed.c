// A list under a mutex, and an invariant that goes through it: the length is counted up when the node is in the list.
// expect: proved options=--invariant as_long_as_it_says
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;
static int length;

int as_long_as_it_says(void) {
    int nodes = 0;
    for (struct node *node = list; node; node = node->next)
        nodes++;
    return nodes >= length;
}

static void *push(void *unused) {
    (void)unused;
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    pthread_mutex_lock(&m);
    node->next = list;
    list = node;
    length++;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, push, NULL);
    push(NULL);
    pthread_join(t, NULL);
    while (list) {
        struct node *node = list;
        length--;
        list = node->next;
        free(node);
    }
    return 0;
}
