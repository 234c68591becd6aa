// Sorting: quicksort variants, merge, heap, shell, insertion, radix, counting, bubble; all agree.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 120 };
static int tmp[N];
static long swaps;

static void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
  swaps++;
}
static void quick_hoare(int *a, int n) {
  if (n < 2) return;
  int p = a[n / 2], i = 0, j = n - 1;
  for (;; i++, j--) {
    while (a[i] < p) i++;
    while (a[j] > p) j--;
    if (i >= j) break;
    swap(&a[i], &a[j]);
  }
  quick_hoare(a, i);
  quick_hoare(a + i, n - i);
}
static void quick_lomuto(int *a, int n) {
  if (n < 2) return;
  int k = 0;
  for (int i = 0; i < n - 1; i++)
    if (a[i] < a[n - 1]) swap(&a[i], &a[k++]);
  swap(&a[k], &a[n - 1]);
  quick_lomuto(a, k);
  quick_lomuto(a + k + 1, n - k - 1);
}
static void quick_3way(int *a, int n) {
  while (n > 1) {
    int lt = 0, gt = n, i = 0, p = a[n / 3];
    while (i < gt) {
      if (a[i] < p) swap(&a[i++], &a[lt++]);
      else if (a[i] > p) swap(&a[i], &a[--gt]);
      else i++;
    }
    quick_3way(a, lt);
    a += gt;
    n -= gt;
  }
}
static void merge(int *a, int n) {
  if (n < 2) return;
  int m = n / 2, i = 0, j = m, k = 0;
  merge(a, m);
  merge(a + m, n - m);
  while (i < m && j < n) tmp[k++] = a[j] < a[i] ? a[j++] : a[i++];
  while (i < m) tmp[k++] = a[i++];
  memcpy(a, tmp, (size_t)k * sizeof *a);
}
static void heap(int *a, int n) {
  for (int s = n / 2 - 1, e = n; e > 1;) {
    if (s >= 0) s--;
    else swap(&a[0], &a[--e]);
    int i = s >= 0 || e == n ? s + 1 : 0;
    if (s < 0 && e < n) i = 0;
    for (int c; (c = 2 * i + 1) < e; i = c) {
      if (c + 1 < e && a[c + 1] > a[c]) c++;
      if (a[c] <= a[i]) break;
      swap(&a[i], &a[c]);
    }
  }
}
static void shell(int *a, int n) {
  for (int g = n / 2; g; g = g == 2 ? 1 : g * 5 / 11)
    for (int i = g; i < n; i++) {
      int v = a[i], j = i;
      for (; j >= g && a[j - g] > v; j -= g) a[j] = a[j - g];
      a[j] = v;
    }
}
static void insertion(int *a, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j && a[j - 1] > a[j]; j--) swap(&a[j - 1], &a[j]);
}
static void radix(int *a, int n) {
  for (int sh = 0; sh < 32; sh += 8) {
    int cnt[257] = {0};
    for (int i = 0; i < n; i++) cnt[((uint32_t)a[i] ^ 0x80000000u) >> sh & 0xff]++;
    for (int i = 0, s = 0; i < 256; i++) {
      int c = cnt[i];
      cnt[i] = s;
      s += c;
    }
    for (int i = 0; i < n; i++) tmp[cnt[((uint32_t)a[i] ^ 0x80000000u) >> sh & 0xff]++] = a[i];
    memcpy(a, tmp, (size_t)n * sizeof *a);
  }
}
static void selection(int *a, int n) {
  for (int i = 0; i < n; i++) {
    int m = i;
    for (int j = i + 1; j < n; j++)
      if (a[j] < a[m]) m = j;
    if (m != i) swap(&a[i], &a[m]);
  }
}
static void bubble(int *a, int n) {
  for (int again = 1; again--; n--)
    for (int i = 1; i < n; i++)
      if (a[i - 1] > a[i]) {
        swap(&a[i - 1], &a[i]);
        again = 1;
      }
}

int main(void) {
  static const struct {
    const char *name;
    void (*fn)(int *, int);
  } all[] = {{"hoare", quick_hoare}, {"lomuto", quick_lomuto}, {"3way", quick_3way}, {"merge", merge},   {"heap", heap},
             {"shell", shell},       {"insert", insertion},    {"radix", radix},     {"select", selection}, {"bubble", bubble}};
  int bad = 0;
  for (int mode = 0; mode < 3; mode++) {
    int src[N], want[N], a[N];
    uint32_t x = 77;
    for (int i = 0; i < N; i++) {
      x = x * 1664525 + 1013904223;
      src[i] = mode == 0 ? (int)x : mode == 1 ? (int)(x >> 24) % 10 : i * 3 - 100;
    }
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
      memcpy(a, src, sizeof a);
      swaps = 0;
      all[k].fn(a, N);
      if (k == 0) memcpy(want, a, sizeof a);
      int same = !memcmp(a, want, sizeof a);
      for (int i = 1; i < N; i++) same &= a[i - 1] <= a[i];
      bad += !same;
      printf("%s:%ld%s ", all[k].name, swaps, same ? "" : "!");
    }
    printf("%d %d\n", want[0], want[N / 2]);
  }
  return bad;
}
