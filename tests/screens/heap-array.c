// Elements of an array on the heap, of structures and of a structure without end, are told by their indices.
// options: --max-bugs all
#include <pthread.h>
#include <stdlib.h>

struct slot {
    int value, ready;
};

struct queue {
    int length;
    int items[];
};

static struct slot *slots;
static struct queue *queue;

static void *fill(void *unused)
{
    slots[1].ready = 1;
    queue->items[2] = 7;
    return unused;
}

int main(void)
{
    pthread_t filler;
    slots = calloc(4, sizeof *slots);
    queue = calloc(1, sizeof *queue + 3 * sizeof queue->items[0]);
    pthread_create(&filler, NULL, fill, NULL);
    int sum = slots[1].ready + queue->items[2];
    pthread_join(filler, NULL);
    free(slots);
    free(queue);
    return sum == 9;
}
