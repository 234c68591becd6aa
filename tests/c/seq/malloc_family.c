// malloc, calloc, realloc (grow, shrink, NULL), free(NULL), aligned_alloc, posix_memalign, reallocarray.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned sum(const unsigned char *p, size_t n) {
  unsigned s = 0;
  for (size_t i = 0; i < n; i++) s = s * 31 + p[i];
  return s;
}

int main(void) {
  unsigned char *p = malloc(100);
  if (!p) return 1;
  for (int i = 0; i < 100; i++) p[i] = (unsigned char)i;
  printf("%u %d\n", sum(p, 100), (int)((uintptr_t)p % 16));
  p = realloc(p, 1000);
  if (!p) return 1;
  printf("%u\n", sum(p, 100));
  memset(p + 100, 7, 900);
  p = realloc(p, 50);
  if (!p) return 1;
  printf("%u\n", sum(p, 50));
  free(p);
  int *z = calloc(64, sizeof *z), zero = 0;
  if (!z) return 1;
  for (int i = 0; i < 64; i++) zero += z[i] == 0;
  printf("%d\n", zero);
  free(z);
  p = realloc(NULL, 10);
  if (!p) return 1;
  memset(p, 1, 10);
  printf("%u\n", sum(p, 10));
  free(p);
  free(NULL);
  for (size_t al = 16; al <= 4096; al *= 4) {
    char *a = aligned_alloc(al, al * 2);
    void *b = NULL;
    int rc = posix_memalign(&b, al, 100);
    if (!a || !b) return 1;
    printf("%d %d %d\n", (int)((uintptr_t)a % al), rc, (int)((uintptr_t)b % al));
    a[al * 2 - 1] = 'x';
    memset(b, 0, 100);
    free(a);
    free(b);
  }
  void *bad = NULL;
  printf("%d\n", posix_memalign(&bad, 3, 10) == EINVAL);
  volatile size_t huge = SIZE_MAX / 2;
  void *volatile none = calloc(huge, 16);
  printf("%d\n", none == NULL);
  int *r = reallocarray(NULL, 20, sizeof(int));
  if (!r) return 1;
  for (int i = 0; i < 20; i++) r[i] = i;
  r = reallocarray(r, 40, sizeof(int));
  if (!r) return 1;
  printf("%d\n", r[19]);
  free(r);
  char *d = strdup("duplicate");
  if (!d) return 1;
  d[0] = 'D';
  puts(d);
  free(d);
  void *blocks[50];
  size_t ok = 0;
  for (int i = 0; i < 50; i++) {
    blocks[i] = malloc((size_t)(i * 37 % 300));
    if (i * 37 % 300 && blocks[i]) memset(blocks[i], i, (size_t)(i * 37 % 300));
    ok += malloc_usable_size(blocks[i]) >= (size_t)(i * 37 % 300);
  }
  for (int i = 0; i < 50; i += 2) free(blocks[i]);
  for (int i = 1; i < 50; i += 2) {
    if (i * 37 % 300) ok += *(unsigned char *)blocks[i] == i;
    free(blocks[i]);
  }
  printf("%zu\n", ok);
  return (int)ok;
}
