// a bounded queue of strings with C11 mutex and condition variables
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { SIZE = 2 };

static mtx_t m;
static cnd_t changed;
static char *queue[SIZE];
static int count, first, closed;

static void put(char *s) {
    mtx_lock(&m);
    while (count == SIZE)
        cnd_wait(&changed, &m);
    queue[(first + count++) % SIZE] = s;
    cnd_broadcast(&changed);
    mtx_unlock(&m);
}

static char *get(void) {
    char *s = NULL;
    mtx_lock(&m);
    while (count == 0 && !closed)
        cnd_wait(&changed, &m);
    if (count > 0) {
        s = queue[first];
        first = (first + 1) % SIZE;
        count--;
        cnd_broadcast(&changed);
    }
    mtx_unlock(&m);
    return s;
}

static int produce(void *arg) {
    const char *text = arg;
    for (int i = 1; i <= 5; i++) {
        char *s = malloc(strlen(text) * (size_t)i + 1);
        s[0] = '\0';
        for (int k = 0; k < i; k++)
            strcat(s, text);
        put(s);
    }
    return 5;
}

static int consume(void *arg) {
    int *length = arg, n = 0;
    for (char *s; (s = get()) != NULL; n++) {
        *length += (int)strlen(s);
        free(s);
    }
    return n;
}

int main(void) {
    thrd_t p[2], c[2];
    int length[2] = {0}, made[2], used[2];
    mtx_init(&m, mtx_plain);
    cnd_init(&changed);
    thrd_create(&p[0], produce, (void *)"ab");
    thrd_create(&p[1], produce, (void *)"xyz");
    for (int i = 0; i < 2; i++)
        thrd_create(&c[i], consume, &length[i]);
    for (int i = 0; i < 2; i++)
        thrd_join(p[i], &made[i]);
    mtx_lock(&m);
    closed = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&m);
    for (int i = 0; i < 2; i++)
        thrd_join(c[i], &used[i]);
    printf("%d %d length %d\n", made[0] + made[1], used[0] + used[1], length[0] + length[1]);
    return 0;
}
