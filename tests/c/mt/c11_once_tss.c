// C11 call_once and thread-specific storage with a destructor
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static mtx_t m;
static int inits, drops, sum;

static void drop(void *p) {
    mtx_lock(&m);
    drops++;
    sum += *(int *)p;
    mtx_unlock(&m);
    free(p);
}

static void init(void) {
    inits++;
    mtx_init(&m, mtx_plain);
    tss_create(&slot, drop);
}

static int work(void *arg) {
    call_once(&once, init);
    if (tss_get(slot) != NULL)
        return -1;
    int *p = malloc(sizeof *p);
    *p = *(int *)arg;
    tss_set(slot, p);
    return *(int *)tss_get(slot);
}

int main(void) {
    thrd_t t[4];
    int id[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++)
        thrd_create(&t[i], work, &id[i]);
    for (int i = 0; i < 4; i++) {
        int r;
        thrd_join(t[i], &r);
        printf("%d ", r);
    }
    printf("inits %d drops %d sum %d\n", inits, drops, sum);
    tss_delete(slot);
    mtx_destroy(&m);
    return 0;
}
