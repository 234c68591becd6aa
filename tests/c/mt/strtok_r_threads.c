// strtok_r in several threads at the same time
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char text[40];
    long sum;
    int fields;
};

static void *parse(void *arg) {
    struct line *l = arg;
    char *outer, *inner;
    for (char *pair = strtok_r(l->text, ";", &outer); pair; pair = strtok_r(NULL, ";", &outer)) {
        char *name = strtok_r(pair, "=", &inner);
        char *value = strtok_r(NULL, "=", &inner);
        l->sum += (long)strlen(name) * 1000 + (value ? strtol(value, NULL, 0) : 0);
        l->fields++;
    }
    return NULL;
}

int main(void) {
    struct line l[3] = {{.text = "a=1;bb=22;ccc=0x10"}, {.text = ";;x=-5;;"}, {.text = "flag;n=010;m=7;z=1"}};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, parse, &l[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        printf("%d fields, %ld\n", l[i].fields, l[i].sum);
    }
    return 0;
}
