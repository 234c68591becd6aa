// Duff's device and coroutines built on switch.
#include <stdio.h>

static void duff_copy(char *to, const char *from, int count) {
  if (count <= 0) return;
  int n = (count + 7) / 8;
  switch (count % 8) {
    case 0: do { *to++ = *from++; /* fall through */
    case 7:      *to++ = *from++; /* fall through */
    case 6:      *to++ = *from++; /* fall through */
    case 5:      *to++ = *from++; /* fall through */
    case 4:      *to++ = *from++; /* fall through */
    case 3:      *to++ = *from++; /* fall through */
    case 2:      *to++ = *from++; /* fall through */
    case 1:      *to++ = *from++;
            } while (--n > 0);
  }
}

struct gen {
  int state, i, j;
};
static int next(struct gen *g) {
  switch (g->state) {
    case 0:
      for (g->i = 0; g->i < 4; g->i++) {
        for (g->j = 0; g->j <= g->i; g->j++) {
          g->state = 1;
          return g->i * 10 + g->j;
    case 1:;
        }
      }
      g->state = 2; /* fall through */
    case 2:
      return -1;
  }
  return -2;
}

int main(void) {
  char src[41], dst[41];
  for (int i = 0; i < 40; i++) src[i] = (char)('A' + i % 26);
  src[40] = 0;
  for (int n = 0; n <= 40; n += 3) {
    for (int i = 0; i < 41; i++) dst[i] = 0;
    duff_copy(dst, src, n);
    printf("%d:%s\n", n, dst);
  }
  struct gen g = {0};
  int v, s = 0;
  while ((v = next(&g)) >= 0) {
    printf("%d ", v);
    s += v;
  }
  printf("%d\n", next(&g));
  return s;
}
