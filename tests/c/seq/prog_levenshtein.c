// Dynamic programming: Levenshtein, longest common subsequence, knapsack, coin change, LIS, edit script.
#include <stdio.h>
#include <string.h>

static int min3(int a, int b, int c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
static int lev(const char *a, const char *b, char *script) {
  int n = (int)strlen(a), m = (int)strlen(b);
  int d[n + 1][m + 1];
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++)
      d[i][j] = !i ? j : !j ? i : min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
  char rev[64];
  int k = 0;
  for (int i = n, j = m; i || j;) {
    if (i && j && d[i][j] == d[i - 1][j - 1] + (a[i - 1] != b[j - 1])) rev[k++] = a[--i] == b[--j] ? '=' : '~';
    else if (i && d[i][j] == d[i - 1][j] + 1) rev[k++] = '-', i--;
    else rev[k++] = '+', j--;
  }
  for (int i = 0; i < k; i++) script[i] = rev[k - 1 - i];
  script[k] = 0;
  return d[n][m];
}
static int lcs(const char *a, const char *b) {
  int row[64] = {0};
  for (; *a; a++)
    for (int j = 1, diag = 0; b[j - 1]; j++) {
      int up = row[j];
      row[j] = *a == b[j - 1] ? diag + 1 : up > row[j - 1] ? up : row[j - 1];
      diag = up;
    }
  return row[strlen(b)];
}
static int knapsack(const int *w, const int *v, int n, int cap) {
  int best[cap + 1];
  memset(best, 0, sizeof best);
  for (int i = 0; i < n; i++)
    for (int c = cap; c >= w[i]; c--)
      if (best[c - w[i]] + v[i] > best[c]) best[c] = best[c - w[i]] + v[i];
  return best[cap];
}
static long ways(int amount) {
  static const int coins[] = {1, 2, 5, 10, 20, 50, 100, 200};
  long w[201] = {1};
  for (int i = 0; i < 8; i++)
    for (int a = coins[i]; a <= amount; a++) w[a] += w[a - coins[i]];
  return w[amount];
}
static int lis(const int *a, int n) {
  int tail[64], k = 0;
  for (int i = 0; i < n; i++) {
    int lo = 0, hi = k;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (tail[mid] < a[i]) lo = mid + 1;
      else hi = mid;
    }
    tail[lo] = a[i];
    k += lo == k;
  }
  return k;
}

int main(void) {
  const char *p[][2] = {{"kitten", "sitting"}, {"", "abc"}, {"flaw", "lawn"}, {"intention", "execution"}, {"same", "same"}};
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    char s[64];
    int d = lev(p[i][0], p[i][1], s);
    printf("%s %s %d %s %d\n", p[i][0], p[i][1], d, s, lcs(p[i][0], p[i][1]));
    sum += d;
  }
  int w[] = {12, 7, 11, 8, 9, 6, 5, 14}, v[] = {24, 13, 23, 15, 16, 11, 9, 28};
  printf("%d %d\n", knapsack(w, v, 8, 26), knapsack(w, v, 8, 50));
  printf("%ld\n", ways(200));
  int a[50];
  for (int i = 0; i < 50; i++) a[i] = i * 37 % 53;
  printf("%d\n", lis(a, 50));
  return sum;
}
