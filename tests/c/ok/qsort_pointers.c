// qsort of an array of pointers and of structs that hold pointers
// expect: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char *name;
    int age;
};

static int by_age(const void *a, const void *b) {
    const struct person *const *x = a, *const *y = b;
    return (*x)->age - (*y)->age;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}

int main(void) {
    const char *names[5] = {"dora", "alan", "eve", "bob", "carl"};
    struct person p[5], *index[5];
    for (int i = 0; i < 5; i++) {
        p[i].name = malloc(8);
        strcpy(p[i].name, names[i]);
        p[i].age = 20 + i * 17 % 11;
    }
    qsort(p, 5, sizeof p[0], by_name);
    for (int i = 0; i < 5; i++)
        index[i] = &p[i];
    qsort(index, 5, sizeof index[0], by_age);
    for (int i = 0; i < 5; i++)
        printf("%s %s %d\n", p[i].name, index[i]->name, index[i]->age);
    for (int i = 0; i < 5; i++)
        free(p[i].name);
    return 0;
}
