// Word frequencies from standard input, with a hash table and a sort; longest line.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
  struct word *next;
  int n;
  char s[];
};
static struct word *table[32];

static int cmp(const void *a, const void *b) {
  const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
  return x->n != y->n ? y->n - x->n : strcmp(x->s, y->s);
}

int main(void) {
  char buf[32];
  int len = 0, c, total = 0, distinct = 0, col = 0, longest = 0;
  do {
    c = getchar();
    if (c == '\n' || c == EOF) {
      if (col > longest) longest = col;
      col = 0;
    } else {
      col++;
    }
    if (c != EOF && isalpha(c)) {
      if (len < 31) buf[len++] = (char)tolower(c);
      continue;
    }
    if (!len) continue;
    buf[len] = 0;
    unsigned h = 0;
    for (int i = 0; i < len; i++) h = h * 31 + (unsigned char)buf[i];
    struct word **p = &table[h % 32];
    while (*p && strcmp((*p)->s, buf)) p = &(*p)->next;
    if (!*p) {
      *p = malloc(sizeof **p + (size_t)len + 1);
      if (!*p) return 9;
      (*p)->next = NULL;
      (*p)->n = 0;
      memcpy((*p)->s, buf, (size_t)len + 1);
      distinct++;
    }
    (*p)->n++;
    total++;
    len = 0;
  } while (c != EOF);
  struct word **all = malloc((size_t)distinct * sizeof *all);
  if (!all) return 9;
  int k = 0;
  for (int i = 0; i < 32; i++)
    for (struct word *w = table[i]; w; w = w->next) all[k++] = w;
  qsort(all, (size_t)k, sizeof *all, cmp);
  for (int i = 0; i < k && i < 8; i++) printf("%-10s %d\n", all[i]->s, all[i]->n);
  printf("%d words, %d distinct, longest line %d\n", total, distinct, longest);
  for (int i = 0; i < k; i++) free(all[i]);
  free(all);
  return distinct;
}
