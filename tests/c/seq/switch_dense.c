// Dense switch statements: fall through, default in the middle, nested, in loops.
#include <stdio.h>

static int dense(int x) {
  switch (x) {
    case 0: return 3;
    case 1: return 14;
    case 2: return 15;
    case 3: return 92;
    case 4: return 65;
    case 5: return 35;
    case 7: return 89;
    case 8: return 79;
    case 9: return 32;
    default: return -1;
  }
}
static int fall(int x) {
  int r = 0;
  switch (x) {
    case 1: r += 1; /* fall through */
    case 2: r += 10; /* fall through */
    default: r += 100; /* fall through */
    case 3: r += 1000; break;
    case 4: r = -1;
  }
  return r;
}
static int nested(int x, int y) {
  switch (x) {
    case 0:
      switch (y) {
        case 0: return 1;
        case 1: break;
        default: return 2;
      }
      return 3;
    case 1:
      if (y) {
        case 2: return y + 10;
      }
      break;
    case 3:
      for (int i = 0;; i++) {
        switch (i * (y + 1)) {
          case 0: continue;
          case 12: return i;
        }
        if (i > 20) return -i;
      }
  }
  return 0;
}
static const char *day(unsigned char d) {
  switch (d) {
    case 'm': return "mon";
    case 't': return "tue";
    case 'w': return "wed";
    case 255: return "top";
  }
  return "?";
}

int main(void) {
  for (int i = -2; i < 12; i++) printf("%d ", dense(i));
  puts("");
  for (int i = 0; i < 6; i++) printf("%d ", fall(i));
  puts("");
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) printf("%d ", nested(i, j));
  puts("");
  printf("%s %s %s %s\n", day('m'), day('w'), day('x'), day(255));
  int n = 0;
  switch (n) {
    int unreached;
    case 0:
      unreached = 5;
      n = unreached;
  }
  switch (n)
    case 5: n++;
  switch (n) {}
  printf("%d\n", n);
  return n;
}
