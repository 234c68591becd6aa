// Designated initialisers: arrays, nested structs, ranges, overrides, partial zeroing.
#include <stdio.h>

struct inner {
  int a[4];
  struct {
    char c;
    float f;
  } s;
};
struct outer {
  int id;
  struct inner in[2];
  const char *name;
  union {
    int i;
    double d;
  };
};

#pragma clang diagnostic ignored "-Winitializer-overrides"

enum { RED, GREEN, BLUE, NCOLORS };
static const char *const names[NCOLORS] = {[BLUE] = "blue", [RED] = "red", [GREEN] = "green"};
static int sparse[] = {[5] = 50, 60, [2] = 20, 30, [15] = 1};
static int range[20] = {[3 ... 7] = 9, [6] = 1, [10 ... 12] = 4};
static struct outer g = {.in[1].a[2] = 7, .in[1].s.f = 2.5f, .name = "g", .d = 0.75, .id = 3};
static int matrix[3][3] = {[0][0] = 1, [1] = {[1] = 5}, [2][2] = 9};

int main(void) {
  for (int i = 0; i < NCOLORS; i++) printf("%s ", names[i]);
  puts("");
  for (unsigned i = 0; i < sizeof sparse / sizeof *sparse; i++) printf("%d ", sparse[i]);
  puts("");
  for (int i = 0; i < 20; i++) printf("%d", range[i]);
  puts("");
  printf("%d %d %d %g %s %g\n", g.id, g.in[0].a[0], g.in[1].a[2], g.in[1].s.f, g.name, g.d);
  int tr = 0;
  for (int i = 0; i < 9; i++) tr = tr * 10 + matrix[i / 3][i % 3];
  printf("%d\n", tr);
  int k = 4;
  struct outer l = {k, {{{k + 1, k + 2}, {'z', 1}}, {.s = {.c = 'q'}}}, "l", {.i = k * 2}};
  printf("%d %d %d %d %c %c %d\n", l.id, l.in[0].a[0], l.in[0].a[1], l.in[0].a[3], l.in[0].s.c, l.in[1].s.c, l.i);
  int local[8] = {[7] = k, [sizeof k > 3 ? 1 : 2] = 2};
  int s = 0;
  for (int i = 0; i < 8; i++) s += local[i] * (i + 1);
  printf("%d\n", s);
  struct outer arr[] = {[1] = {.id = 5, .name = "one"}, [0].id = 8};
  printf("%d %d %s %d\n", arr[0].id, arr[1].id, arr[1].name, arr[0].name == 0);
  char str[8] = "abc", full[3] = {'x', 'y', 'z'}, part[6] = {[2] = '!'};
  printf("%s %c %d %d\n", str, full[2], str[7], part[2] + part[5]);
  return s;
}
