// qsort and bsearch in several threads with different comparison functions
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 12 };

static int up(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int down(const void *a, const void *b) {
    return up(b, a);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int numbers[2][LEN];
static const char *names[6] = {"pear", "fig", "apple", "date", "kiwi", "lime"};

static void *sort_numbers(void *arg) {
    int *a = arg;
    qsort(a, LEN, sizeof *a, a == numbers[0] ? up : down);
    int key = 35;
    return bsearch(&key, a, LEN, sizeof *a, a == numbers[0] ? up : down);
}

static void *sort_names(void *arg) {
    qsort(arg, 6, sizeof(char *), by_text);
    return NULL;
}

int main(void) {
    for (int i = 0; i < LEN; i++)
        numbers[0][i] = numbers[1][i] = i * 7 % 13 * 5;
    pthread_t t[3];
    void *found[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sort_numbers, numbers[i]);
    pthread_create(&t[2], NULL, sort_names, names);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], &found[i]);
        for (int k = 0; k < LEN; k++)
            printf("%d ", numbers[i][k]);
        printf("at %d\n", found[i] ? (int)((int *)found[i] - numbers[i]) : -1);
    }
    pthread_join(t[2], NULL);
    for (int i = 0; i < 6; i++)
        printf("%s ", names[i]);
    printf("\n");
    return 0;
}
