// Reading stdin with getline and getdelim; sorting lines; word frequency.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cmp(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(void) {
  char *line = NULL, *lines[64];
  size_t cap = 0;
  ssize_t len;
  int n = 0;
  long bytes = 0;
  while (n < 5 && (len = getline(&line, &cap, stdin)) != -1) {
    bytes += len;
    if (len && line[len - 1] == '\n') line[len - 1] = 0;
    lines[n++] = strdup(line);
  }
  qsort(lines, (size_t)n, sizeof *lines, cmp);
  for (int i = 0; i < n; i++) {
    printf("%s\n", lines[i]);
    free(lines[i]);
  }
  int fields = 0;
  while ((len = getdelim(&line, &cap, ';', stdin)) != -1) {
    printf("<%zd:%.*s>", len, (int)(line[len - 1] == ';' ? len - 1 : len), line);
    fields++;
  }
  free(line);
  printf("\n%ld %d\n", bytes, fields);
  return fields;
}
