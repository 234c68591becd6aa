// word count: mappers split lines with strtok_r into own tables, the reducer merges and sorts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPERS = 3, MAX_WORDS = 32 };

struct entry {
    char word[16];
    int count;
};

struct table {
    char text[80];
    struct entry e[MAX_WORDS];
    int n;
};

static void add(struct table *t, const char *word, int count) {
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->e[i].word, word) == 0) {
            t->e[i].count += count;
            return;
        }
    snprintf(t->e[t->n].word, sizeof t->e[t->n].word, "%s", word);
    t->e[t->n++].count = count;
}

static void *map(void *arg) {
    struct table *t = arg;
    char *save;
    for (char *w = strtok_r(t->text, " ,.", &save); w; w = strtok_r(NULL, " ,.", &save))
        add(t, w, 1);
    return NULL;
}

static int by_count(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return x->count != y->count ? y->count - x->count : strcmp(x->word, y->word);
}

int main(void) {
    static struct table part[MAPPERS] = {{.text = "the cat saw the dog, the dog saw the cat."},
                                         {.text = "a dog and a cat and the bird"},
                                         {.text = "bird, bird, dog. the end"}};
    static struct table all;
    pthread_t t[MAPPERS];
    for (int i = 0; i < MAPPERS; i++)
        pthread_create(&t[i], NULL, map, &part[i]);
    for (int i = 0; i < MAPPERS; i++) {
        pthread_join(t[i], NULL);
        for (int k = 0; k < part[i].n; k++)
            add(&all, part[i].e[k].word, part[i].e[k].count);
    }
    qsort(all.e, (size_t)all.n, sizeof all.e[0], by_count);
    for (int i = 0; i < all.n; i++)
        printf("%-5s %d\n", all.e[i].word, all.e[i].count);
    return 0;
}
