// from a pointer to a member back to the struct around it
// expect: none
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))

struct link {
    struct link *next, *prev;
};

struct task {
    char name[12];
    int priority;
    struct link link;
};

static void insert(struct link *at, struct link *l) {
    l->next = at->next;
    l->prev = at;
    at->next->prev = l;
    at->next = l;
}

int main(void) {
    struct link head = {&head, &head};
    for (int i = 0; i < 4; i++) {
        struct task *t = malloc(sizeof *t);
        snprintf(t->name, sizeof t->name, "task %d", i);
        t->priority = i * 3 % 4;
        insert(i % 2 ? &head : head.prev, &t->link);
    }
    for (struct link *l = head.next; l != &head;) {
        struct task *t = container_of(l, struct task, link);
        l = l->next;
        printf("%s %d\n", t->name, t->priority);
        free(t);
    }
    return 0;
}
