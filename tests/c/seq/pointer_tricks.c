// Pointer tricks that are defined: tagged low bits through uintptr_t, container_of, intrusive lists, pointer maps.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define container_of(p, T, m) ((T *)((char *)(p)-offsetof(T, m)))

struct link {
  struct link *prev, *next;
};
struct job {
  int id;
  struct link by_time, by_name;
  const char *name;
};
static void list_init(struct link *h) { h->prev = h->next = h; }
static void list_add(struct link *h, struct link *l) {
  l->prev = h->prev;
  l->next = h;
  h->prev->next = l;
  h->prev = l;
}
static void list_del(struct link *l) {
  l->prev->next = l->next;
  l->next->prev = l->prev;
}
static uintptr_t tag(void *p, unsigned t) { return (uintptr_t)p | t; }
static void *ptr(uintptr_t v) { return (void *)(v & ~(uintptr_t)7); }

struct xnode {
  uintptr_t both;
  int v;
};

int main(void) {
  struct link time_list, name_list;
  list_init(&time_list);
  list_init(&name_list);
  struct job jobs[6];
  const char *names[] = {"f", "b", "d", "a", "e", "c"};
  for (int i = 0; i < 6; i++) {
    jobs[i].id = i;
    jobs[i].name = names[i];
    list_add(&time_list, &jobs[i].by_time);
    struct link *at = name_list.next;
    while (at != &name_list && container_of(at, struct job, by_name)->name[0] < names[i][0]) at = at->next;
    list_add(at, &jobs[i].by_name);
  }
  list_del(&jobs[2].by_time);
  for (struct link *l = time_list.next; l != &time_list; l = l->next) printf("%d", container_of(l, struct job, by_time)->id);
  putchar(' ');
  for (struct link *l = name_list.next; l != &name_list; l = l->next) printf("%s", container_of(l, struct job, by_name)->name);
  puts("");
  long *cell = malloc(sizeof *cell);
  if (!cell) return 1;
  *cell = 1234;
  uintptr_t t = tag(cell, 5);
  printf("%u %ld\n", (unsigned)(t & 7), *(long *)ptr(t));
  free(ptr(t));
  struct xnode n[8];
  for (int i = 0; i < 8; i++) {
    n[i].v = i * i;
    uintptr_t l = i ? (uintptr_t)&n[i - 1] : 0, r = i < 7 ? (uintptr_t)&n[i + 1] : 0;
    n[i].both = l ^ r;
  }
  int s = 0;
  uintptr_t prev = 0;
  for (struct xnode *x = &n[0]; x;) {
    s = s * 3 + x->v;
    uintptr_t next = prev ^ x->both;
    prev = (uintptr_t)x;
    x = (struct xnode *)next;
  }
  printf("%d\n", s);
  int arr[10] = {0}, *p = arr;
  intptr_t off = (intptr_t)(arr + 7) - (intptr_t)arr;
  *(int *)((char *)p + off) = 9;
  printf("%d %ld\n", arr[7], (long)off);
  void **slots = calloc(4, sizeof *slots);
  if (!slots) return 1;
  slots[1] = &arr[3];
  slots[2] = slots;
  printf("%d %d %d\n", slots[0] == NULL, slots[2] == (void *)slots, *(int *)slots[1]);
  free(slots);
  return s & 0xff;
}
