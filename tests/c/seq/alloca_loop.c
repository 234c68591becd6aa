// alloca in loops and in recursion: blocks stay valid until the function returns.
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct cell {
  struct cell *next;
  int val;
};

static int list_sum(int n) {
  struct cell *head = NULL;
  for (int i = 0; i < n; i++) {
    struct cell *c = alloca(sizeof *c);
    c->next = head;
    c->val = i;
    head = c;
  }
  unsigned s = 0;
  for (; head; head = head->next) s = s * 3 + (unsigned)head->val;
  return (int)(s & 0xffff);
}
static int depth(int n, int *up) {
  int *mine = alloca(sizeof(int) * (size_t)(n + 1));
  for (int i = 0; i <= n; i++) mine[i] = i + (up ? up[0] : 1);
  return n ? depth(n - 1, mine) + mine[n] : mine[0];
}
static char *join(char *out, int n, ...) {
  char *tmp = __builtin_alloca(64);
  tmp[0] = 0;
  for (int i = 0; i < n; i++) {
    char *part = alloca(8);
    snprintf(part, 8, "<%d>", i * i);
    strcat(tmp, part);
  }
  return strcpy(out, tmp);
}

int main(void) {
  printf("%d %d\n", list_sum(10), list_sum(100));
  printf("%d\n", depth(20, NULL));
  char out[64];
  puts(join(out, 5));
  int bad = 0;
  for (int i = 1; i < 50; i++) {
    char *p = alloca((size_t)i);
    bad += (uintptr_t)p % 16 != 0;
    memset(p, i, (size_t)i);
    bad += p[i - 1] != i;
  }
  printf("%d\n", bad);
  char *q = __builtin_alloca_with_align(100, 512);
  printf("%d\n", (int)((uintptr_t)q % 64));
  return bad;
}
