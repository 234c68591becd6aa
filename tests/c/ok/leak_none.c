// everything is freed: by main, by threads and by a key destructor
// expect: none
// options: --leaks
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
    int key;
};

static pthread_key_t key;

static struct tree *build(int from, int to) {
    if (from >= to)
        return NULL;
    struct tree *t = malloc(sizeof *t);
    t->key = (from + to) / 2;
    t->left = build(from, t->key);
    t->right = build(t->key + 1, to);
    return t;
}

static int drop(struct tree *t) {
    if (!t)
        return 0;
    int n = 1 + drop(t->left) + drop(t->right);
    free(t);
    return n;
}

static void *work(void *arg) {
    pthread_setspecific(key, malloc(10));
    return build(0, *(int *)arg);
}

int main(void) {
    pthread_t t;
    int n = 12;
    void *tree;
    pthread_key_create(&key, free);
    pthread_create(&t, NULL, work, &n);
    pthread_join(t, &tree);
    printf("%d\n", drop(tree));
    pthread_key_delete(key);
    return 0;
}
