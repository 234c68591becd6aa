// Irreducible control flow: jumps into loops, two-entry cycles, a switch inside crossing loops.
#include <stdio.h>

static int two_entry(int n, int which) {
  int s = 0;
  if (which) goto second;
first:
  s += 3;
  if (--n <= 0) return s;
second:
  s = s * 2 % 1009;
  if (--n <= 0) return s + 1;
  goto first;
}
static int tangled(int x) {
  int steps = 0;
a:
  steps++;
  if (steps > 200) return -steps;
  if (x & 1) goto c;
b:
  x = x / 2 + 3;
  if (x < 10) goto d;
  if (x % 3 == 0) goto a;
c:
  x = x * 3 + 1;
  steps += 2;
  if (x > 500) {
    x %= 37;
    goto b;
  }
  goto a;
d:
  return steps * 100 + x;
}
static int sw(int n) {
  int i = 0, s = 0;
  switch (n & 3) {
    for (; i < 10; i++) {
      case 0: s += 1; /* fall through */
      case 1:
        while (s % 5) {
          case 2: s += 2;
          if (s > 60) goto out;
        }
      case 3: s += 7;
    }
  }
out:
  return s * 100 + i;
}

#pragma clang diagnostic ignored "-Wimplicit-fallthrough"

int main(void) {
  int h = 0;
  for (int i = 1; i < 20; i++) {
    printf("%d %d ", two_entry(i, 0), two_entry(i, 1));
    h = (h * 31 + tangled(i)) % 100003;
  }
  puts("");
  for (int i = 0; i < 12; i++) printf("%d ", tangled(i * 7));
  puts("");
  for (int i = 0; i < 4; i++) printf("%d ", sw(i));
  printf("\n%d\n", h);
  return h & 0x7f;
}
