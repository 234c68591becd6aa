// static _Thread_local inside functions, a pointer to thread-local data, and recursion per thread
#include <pthread.h>
#include <stdio.h>

static int next_id(void) {
    static _Thread_local int last = 100;
    return ++last;
}

static char *buffer_for(int n) {
    static _Thread_local char buf[16];
    snprintf(buf, sizeof buf, "<%d>", n);
    return buf;
}

static _Thread_local int depth;
static _Thread_local int *deepest;

static int descend(int n) {
    depth++;
    int d = depth;
    if (n > 0)
        d = descend(n - 1);
    else
        deepest = &depth;
    depth--;
    return d;
}

static void *work(void *arg) {
    int n = *(int *)arg, id = 0;
    for (int i = 0; i < n; i++)
        id = next_id();
    char *text = buffer_for(id);
    int d = descend(n);
    int ok = deepest == &depth && depth == 0 && text[0] == '<';
    *(int *)arg = ok ? id * 100 + d : -1;
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int n[3] = {1, 4, 9};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &n[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d main %d %s\n", n[0], n[1], n[2], next_id(), buffer_for(7));
    return 0;
}
