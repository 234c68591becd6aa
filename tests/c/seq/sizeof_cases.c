// sizeof, _Alignof and offsetof in all forms; sizeof does not evaluate, except for VLAs.
#include <stddef.h>
#include <stdio.h>

#pragma clang diagnostic ignored "-Wunevaluated-expression"

struct s {
  char a;
  int b[3];
  struct {
    short x;
    double y;
  } in[2];
  char tail[];
};
static int calls;
static int f(void) {
  calls++;
  return 1;
}

int main(void) {
  printf("%zu %zu %zu %zu %zu %zu\n", sizeof(char), sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(__int128));
  printf("%zu %zu %zu %zu %zu\n", sizeof(float), sizeof(double), sizeof(long double), sizeof(_Bool), sizeof(void *));
  printf("%zu %zu %zu\n", sizeof(struct s), offsetof(struct s, in[1].y), offsetof(struct s, tail));
  printf("%zu %zu %zu\n", sizeof(((struct s *)0)->b), sizeof(((struct s *)0)->in[0]), sizeof *((struct s *)0)->in);
  printf("%zu %zu %zu\n", sizeof f(), sizeof(f() + 1l), sizeof(f() ? 1.0f : 2.0));
  printf("%d\n", calls);
  int n = 4;
  int v[n], (*pv)[n] = &v;
  printf("%zu %zu %zu\n", sizeof v, sizeof *pv, sizeof(char[f() + n]));
  size_t grown = sizeof(double[n++][2]);
  printf("%zu %d\n", grown, n);
  printf("%d\n", calls);
  printf("%zu %zu %zu\n", sizeof "string", sizeof 'c', sizeof(int[2][3]));
  printf("%zu %zu %zu %zu\n", _Alignof(char), _Alignof(double), _Alignof(struct s), _Alignof(int[7]));
  char a[10], *p = a;
  printf("%zu %zu %zu %zu\n", sizeof a, sizeof p, sizeof &a, sizeof *p);
  printf("%zu %zu\n", sizeof(int (*)(void)), sizeof(union {
           char c[9];
           int i;
         }));
  printf("%zu %zu\n", sizeof(struct { char c; long l; char d; }), sizeof(struct { long l; char c, d; }));
  int m = 3;
  size_t z = sizeof(m++);
  printf("%zu %d\n", z, m);
  return (int)offsetof(struct s, in);
}
