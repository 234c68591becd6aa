// heap blocks allocated in one thread, grown in another, freed in a third
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *s;
    size_t len;
};

static void *make(void *arg) {
    struct text *t = malloc(sizeof *t);
    t->len = strlen(arg);
    t->s = malloc(t->len + 1);
    memcpy(t->s, arg, t->len + 1);
    return t;
}

static void *grow(void *arg) {
    struct text *t = arg;
    t->s = realloc(t->s, 2 * t->len + 1);
    memcpy(t->s + t->len, t->s, t->len);
    t->len *= 2;
    t->s[t->len] = '\0';
    return t;
}

static void *finish(void *arg) {
    struct text *t = arg;
    size_t len = t->len;
    printf("%s\n", t->s);
    free(t->s);
    free(t);
    return (void *)len;
}

static void *in_thread(void *(*f)(void *), void *arg) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, f, arg);
    pthread_join(t, &r);
    return r;
}

int main(void) {
    const char *words[3] = {"tick", "a", "blah "};
    for (int i = 0; i < 3; i++) {
        void *t = in_thread(make, (void *)words[i]);
        for (int k = 0; k <= i; k++)
            t = in_thread(grow, t);
        printf("%zu\n", (size_t)in_thread(finish, t));
    }
    return 0;
}
