// rand_r: the same seed gives the same sequence in every thread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct run {
    unsigned seed;
    int value[8];
};

static void *draw(void *arg) {
    struct run *r = arg;
    for (int i = 0; i < 8; i++)
        r->value[i] = rand_r(&r->seed);
    return NULL;
}

int main(void) {
    struct run r[4] = {{.seed = 1}, {.seed = 2}, {.seed = 1}, {.seed = 2}};
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, draw, &r[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    int same = 0, in_range = 0, differ = 0;
    for (int i = 0; i < 8; i++) {
        same += r[0].value[i] == r[2].value[i] && r[1].value[i] == r[3].value[i];
        differ += r[0].value[i] != r[1].value[i];
        in_range += r[0].value[i] >= 0 && r[0].value[i] <= RAND_MAX;
    }
    printf("same %d in range %d differ %d seeds %d\n", same, in_range, differ > 0, r[0].seed == r[2].seed);
    return 0;
}
