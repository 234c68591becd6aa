// Struct values without names: members of returned structs, array members, self assignment, chains.
#include <stdio.h>
#include <string.h>

struct vec {
  int a[4];
  double d;
};
struct str {
  char s[16];
};
union any {
  int i;
  char c[8];
};

static struct vec make(int k) { return (struct vec){{k, k + 1, k + 2, k + 3}, k / 2.0}; }
static struct str text(const char *t) {
  struct str s = {""};
  strncpy(s.s, t, 15);
  return s;
}
static union any wrap(int i) { return (union any){.i = i}; }
static struct vec sum(struct vec a, struct vec b) {
  for (int i = 0; i < 4; i++) a.a[i] += b.a[i];
  a.d += b.d;
  return a;
}
static int total(const struct vec *v) { return v->a[0] + v->a[1] + v->a[2] + v->a[3]; }
static struct vec *id(struct vec *v) { return v; }

int main(void) {
  printf("%d %g\n", make(5).a[2], make(6).d);
  printf("%s %c\n", text("temporary").s, text("xyz").s[1]);
  printf("%d %d\n", wrap(77).i, wrap(0x41424344).c[0]);
  printf("%d\n", sum(make(1), sum(make(10), make(100))).a[3]);
  struct vec v = make(3), w;
  struct vec *self = &v;
  v = *self;
  w = v = sum(v, v);
  printf("%d %d\n", total(&v), total(&w));
  *id(&w) = make(total(&v));
  printf("%d\n", id(&w)->a[1]);
  struct vec arr[3] = {make(0), make(1)};
  arr[2] = arr[1], arr[1] = arr[0], arr[0] = arr[2];
  printf("%d %d %d\n", arr[0].a[0], arr[1].a[0], arr[2].a[3]);
  struct vec c = arr[0].a[0] ? arr[0] : arr[1];
  printf("%d\n", (c.a[0] > 0 ? make(50) : make(60)).a[0]);
  printf("%d\n", ((void)make(1), make(2)).a[0]);
  int k = 4;
  struct vec m = {{k, k / 2, k * k}, k};
  printf("%d %d\n", k, m.a[0] + m.a[1] + m.a[2] + m.a[3]);
  printf("%zu %zu\n", sizeof make(1), sizeof make(1).a);
  return total(&c);
}
