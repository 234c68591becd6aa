// Reading stdin with fgets: long lines split, empty lines, last line without newline.
#include <stdio.h>
#include <string.h>

int main(void) {
  char buf[16];
  int n = 0, whole = 0;
  while (fgets(buf, sizeof buf, stdin)) {
    size_t len = strlen(buf);
    int nl = len && buf[len - 1] == '\n';
    if (nl) buf[--len] = 0;
    printf("%d:%zu:%s%s\n", n++, len, buf, nl ? "$" : "");
    whole += nl;
  }
  printf("%d pieces, %d lines, eof %d\n", n, whole, feof(stdin) != 0);
  return n;
}
