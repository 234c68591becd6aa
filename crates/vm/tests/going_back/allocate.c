/* Two threads allocate, free and keep objects: the final state does not depend on who was first. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *kept[2][3];
static atomic_int passes;

static void *worker(void *arg) {
    int id = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        int *gone = malloc(24);
        int *stays = malloc(sizeof *stays);
        gone[0] = id;
        *stays = gone[0] * 10 + i;
        kept[id][i] = stays;
        free(gone);
    }
    atomic_fetch_add(&passes, 1);
    return NULL;
}

int main(void) {
    static int ids[2] = {0, 1};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
