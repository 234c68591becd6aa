// Line diff by longest common subsequence, text wrapping and justification, run-length coding.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int split(char *s, char **out) {
  int n = 0;
  for (char *p = strtok(s, "\n"); p; p = strtok(NULL, "\n")) out[n++] = p;
  return n;
}
static int diff(char **a, int n, char **b, int m) {
  int(*l)[m + 1] = calloc((size_t)n + 1, sizeof *l);
  if (!l) exit(9);
  for (int i = n - 1; i >= 0; i--)
    for (int j = m - 1; j >= 0; j--) l[i][j] = !strcmp(a[i], b[j]) ? l[i + 1][j + 1] + 1 : l[i + 1][j] > l[i][j + 1] ? l[i + 1][j] : l[i][j + 1];
  int changes = 0;
  for (int i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && !strcmp(a[i], b[j])) {
      printf("  %s\n", a[i++]);
      j++;
    } else if (j < m && (i == n || l[i][j + 1] > l[i + 1][j])) {
      printf("+ %s\n", b[j++]);
      changes++;
    } else {
      printf("- %s\n", a[i++]);
      changes++;
    }
  }
  free(l);
  return changes;
}
static void justify(const char *text, int width) {
  const char *words[32];
  int len[32], n = 0, total = 0;
  while (*text || n) {
    while (*text == ' ') text++;
    int k = (int)strcspn(text, " ");
    if (k && total + k + n <= width) {
      words[n] = text;
      len[n++] = k;
      total += k;
      text += k;
      continue;
    }
    int gaps = n - 1, space = *text ? width - total : gaps;
    printf("|");
    for (int i = 0; i < n; i++) {
      printf("%.*s", len[i], words[i]);
      if (i < gaps) printf("%*s", space / gaps + (i < space % gaps), "");
    }
    puts("|");
    n = total = 0;
  }
}
static int rle(const char *s, char *out) {
  char *o = out;
  while (*s) {
    int k = 1;
    while (s[k] == *s) k++;
    o += k > 1 ? sprintf(o, "%d%c", k, *s) : sprintf(o, "%c", *s);
    s += k;
  }
  return (int)(o - out);
}

int main(void) {
  char one[] = "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta", two[] = "alpha\ngamma\nnew\ndelta\nepsilom\nzeta\nend";
  char *a[16], *b[16];
  int n = split(one, a), m = split(two, b);
  int c = diff(a, n, b, m);
  printf("%d changes\n", c);
  justify("a model checker explores every interleaving of the threads of a program and reports the ones that fail", 28);
  char out[64];
  int k = rle("aaabccddddde", out);
  printf("%s %d\n", out, k);
  return c;
}
