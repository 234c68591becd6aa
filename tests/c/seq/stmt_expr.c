// GNU statement expressions, typeof, local labels, nested macros.
#include <stdio.h>

#define MAX(a, b)                                                             \
  ({                                                                          \
    __typeof__(a) a_ = (a);                                                   \
    __typeof__(b) b_ = (b);                                                   \
    a_ > b_ ? a_ : b_;                                                        \
  })
#define SWAP(a, b)                                                            \
  do {                                                                        \
    __typeof__(a) t_ = (a);                                                   \
    (a) = (b);                                                                \
    (b) = t_;                                                                 \
  } while (0)
#define FIRST(arr, n, x)                                                      \
  ({                                                                          \
    __label__ found;                                                          \
    int i_;                                                                   \
    for (i_ = 0; i_ < (n); i_++)                                              \
      if ((arr)[i_] == (x)) goto found;                                       \
    i_ = -1;                                                                  \
  found:                                                                      \
    i_;                                                                       \
  })

static int count;
static int bump(void) { return ++count; }

int main(void) {
  int a[] = {4, 8, 15, 16, 23, 42};
  printf("%d\n", MAX(bump(), bump()));
  printf("%d %g\n", count, MAX(2.5, MAX(1.5, 0.5)));
  printf("%d %d\n", FIRST(a, 6, 16), FIRST(a, 6, 17));
  int sum = ({
    int s = 0;
    for (int i = 0; i < 6; i++) s += a[i];
    s;
  });
  double x = 1, y = 2;
  SWAP(x, y);
  printf("%d %g %g\n", sum, x, y);
  struct p {
    int u, v;
  } p = ({
    struct p q = {3, 4};
    q.u *= 2;
    q;
  });
  printf("%d %d\n", p.u, p.v);
  int r = ({
    if (sum > 1000) return 1;
    sum / 2;
  });
  int t = sum > 5 ? ({ int z = r; z * z; }) : 0;
  typeof(&a[0]) q = a + 2;
  const typeof(*q) c = *q;
  printf("%d %d %d\n", r, t, c);
  return r;
}
