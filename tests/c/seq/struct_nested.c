// Nested structs with padding, arrays inside, copies and assignments through pointers.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct point {
  short x, y;
};
struct line {
  char tag;
  struct point from, to;
  double weight;
};
struct shape {
  char name[7];
  struct line edges[3];
  union {
    int id;
    char code[4];
  } u;
  struct {
    unsigned char r, g, b;
  } color;
  struct shape *next;
};

static struct shape make(const char *name, int k) {
  struct shape s = {.u.id = k, .color = {.g = (unsigned char)k}};
  strncpy(s.name, name, sizeof s.name - 1);
  for (int i = 0; i < 3; i++) {
    s.edges[i].tag = (char)('a' + i);
    s.edges[i].from = (struct point){(short)(i * k), (short)(i + k)};
    s.edges[i].to = i ? s.edges[i - 1].from : (struct point){.y = 9};
    s.edges[i].weight = i / 4.0 + k;
  }
  return s;
}

static double total(struct shape s) {
  double t = s.u.id;
  for (int i = 0; i < 3; i++) t += s.edges[i].weight * s.edges[i].from.x + s.edges[i].to.y;
  s.edges[0].weight = 1e9;
  return t;
}

int main(void) {
  struct shape list[4];
  const char *names[] = {"tri", "square", "verylongname", ""};
  for (int i = 0; i < 4; i++) {
    list[i] = make(names[i], i * 3 + 1);
    list[i].next = i ? &list[i - 1] : NULL;
  }
  for (struct shape *p = &list[3]; p; p = p->next)
    printf("%s %d %.2f %c\n", p->name, p->u.id, total(*p), p->edges[2].tag);
  struct shape copy = list[1], *q = &copy;
  copy.edges[1].from.x = 77;
  printf("%d %d %d\n", list[1].edges[1].from.x, q->edges[1].from.x, (*q).next == &list[0]);
  *q = *list[2].next->next;
  printf("%s %d\n", q->name, q->color.g);
  struct line l = list[2].edges[1];
  list[2].edges[1] = list[2].edges[0];
  list[2].edges[0] = l;
  printf("%c%c%c\n", list[2].edges[0].tag, list[2].edges[1].tag, list[2].edges[2].tag);
  printf("%zu %zu %zu\n", sizeof(struct point), sizeof(struct line), sizeof(struct shape));
  printf("%zu %zu %zu %zu\n", offsetof(struct line, from), offsetof(struct line, weight), offsetof(struct shape, edges),
         offsetof(struct shape, edges[2].to.y));
  printf("%zu %zu %zu\n", offsetof(struct shape, u), offsetof(struct shape, color), offsetof(struct shape, next));
  printf("%d\n", list[3].u.code[0]);
  return (int)total(list[1]) & 0xff;
}
