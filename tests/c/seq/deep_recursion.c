// Deep recursion: ten thousand frames, with and without arrays in them, and mutual.
#include <stdio.h>

static long sum(int n) { return n ? n + sum(n - 1) : 0; }
static int pad(int n) {
  volatile char block[64];
  block[n % 64] = (char)n;
  if (n == 0) return block[0];
  int r = pad(n - 1);
  return (r * 7 + block[n % 64]) % 1009;
}
static int pong(int n, int acc);
static int ping(int n, int acc) {
  if (!n) return acc;
  int r = pong(n - 1, acc + 1);
  return r ^ (n & 1);
}
static int pong(int n, int acc) {
  if (!n) return -acc;
  return ping(n - 1, acc * 3 % 1000) + 1;
}
struct list {
  struct list *next;
  int v;
};
static int build(int n, struct list *up) {
  struct list me = {up, n};
  if (n) return build(n - 1, &me);
  int s = 0;
  for (struct list *l = &me; l; l = l->next) s = (s * 3 + l->v) % 65521;
  return s;
}

int main(void) {
  printf("%ld\n", sum(10000));
  printf("%d\n", pad(5000));
  printf("%d\n", ping(4001, 7));
  printf("%d\n", build(3000, NULL));
  return pad(300) & 0xff;
}
