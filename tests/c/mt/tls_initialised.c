// _Thread_local: each thread starts from the initial values, main's copy is left alone
#include <pthread.h>
#include <stdio.h>

struct state {
    int id;
    const char *name;
    double weights[3];
};

static _Thread_local struct state state = {7, "initial", {0.5, 1.5, 2.5}};
static _Thread_local int zero;
_Thread_local short table[5] = {1, 2, 3};

static void *work(void *arg) {
    int me = *(int *)arg, ok = 1;
    ok &= state.id == 7 && state.name[0] == 'i' && state.weights[2] == 2.5;
    ok &= zero == 0 && table[2] == 3 && table[4] == 0;
    for (int i = 0; i < 5; i++)
        table[i] = (short)(table[i] + me);
    state.id = me;
    state.weights[1] += me;
    zero -= me;
    *(int *)arg = ok ? state.id * 1000 + table[1] * 100 + (int)(state.weights[1] * 10) + zero : -1;
    return NULL;
}

int main(void) {
    table[0] = 99;
    zero = 5;
    pthread_t t[3];
    int id[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        printf("%d\n", id[i]);
    }
    printf("main %d %s %d %d %d\n", state.id, state.name, table[0], table[1], zero);
    return 0;
}
