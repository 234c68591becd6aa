// neighbouring bytes, shorts and array elements written by different threads without locks
#include <pthread.h>
#include <stdio.h>

static struct {
    char a, b;
    short c;
    char d[4];
} s;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 20; i++) {
        switch (me) {
        case 0: s.a++; break;
        case 1: s.b--; break;
        case 2: s.c += 3; break;
        default: s.d[me - 3] += (char)me; break;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t t[7];
    int id[7];
    for (int i = 0; i < 7; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < 7; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d %d %d %d %d\n", s.a, s.b, s.c, s.d[0], s.d[1], s.d[2], s.d[3]);
    return 0;
}
