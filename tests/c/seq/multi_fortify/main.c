// -D_FORTIFY_SOURCE=2: the checked library functions (__printf_chk, __memcpy_chk …).
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int out(char *b, size_t n, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int r = vsnprintf(b, n, fmt, ap);
  va_end(ap);
  return r;
}

int main(int argc, char **argv) {
  (void)argv;
  char b[32], c[32];
  size_t n = (size_t)argc + 7;
  memset(b, 'x', n);
  b[n] = 0;
  printf("%s %zu\n", b, n);
  memcpy(c, b, n + 1);
  strcpy(b, "abc");
  strcat(b, c);
  strncpy(c, b, n);
  c[n] = 0;
  strncat(c, "tail", n - 5);
  printf("%s %s\n", b, c);
  memmove(b + 1, b, n);
  sprintf(c, "%d-%s", argc, "z");
  int r = snprintf(b, sizeof b, "%zu", n * 1000);
  fprintf(stdout, "%s %s %d\n", b, c, r);
  r = out(b, sizeof b, "%5.2f|%c", 2.5, 'q');
  puts(b);
  char *p = stpcpy(c, "stp");
  printf("%td %d\n", p - c, r);
  char line[16];
  while (fgets(line, sizeof line, stdin)) fputs(line, stdout);
  wchar_t w[8];
  wmemset(w, L'w', (size_t)argc + 2);
  w[argc + 2] = 0;
  printf("%ls\n", w);
  return r;
}
