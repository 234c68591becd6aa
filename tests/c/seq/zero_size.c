// Zero-sized things: empty structs as members and parameters, malloc(0), zero-length copies, empty arrays and strings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct empty {};
struct around {
  char a;
  struct empty e;
  char b;
  int none[0];
};
static int pass(int a, struct empty e, int b, struct empty f, double d) {
  (void)e;
  (void)f;
  return a * 10 + b + (int)d;
}
static struct empty give(int *n) {
  ++*n;
  return (struct empty){};
}

int main(void) {
  struct around x = {.a = 1, .b = 2};
  printf("%zu %zu %d\n", sizeof(struct empty), sizeof x, x.a + x.b);
  int n = 0;
  struct empty e = give(&n);
  e = give(&n);
  int r = pass(1, e, 2, give(&n), 3.5);
  printf("%d %d\n", n, r);
  void *p = malloc(0);
  free(p);
  p = calloc(0, 10);
  free(p);
  char b[4] = "abc";
  volatile size_t zero = 0;
  memcpy(b, b + 1, zero);
  memmove(b, b + 2, zero);
  memset(b, 'z', zero);
  printf("%s %d %d\n", b, memcmp("a", "b", zero), strncmp("a", "b", zero));
  printf("%d %zu [%s] [%.0s]\n", snprintf(NULL, 0, "%s", ""), strlen(""), "", "hidden");
  printf("%zu\n", fwrite(b, 1, zero, stdout));
  for (size_t i = 0; i < zero; i++) puts("never");
  struct empty arr[3];
  printf("%zu\n", sizeof arr);
  struct {
    int len;
    struct empty tail[];
  } *h = malloc(sizeof *h);
  if (!h) return 9;
  h->len = 7;
  n = h->len;
  free(h);
  return n;
}
