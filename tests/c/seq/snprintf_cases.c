// snprintf truncation and return values, sprintf, asprintf, dprintf-free string building.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma clang diagnostic ignored "-Wformat-truncation"

int main(void) {
  char b[16];
  for (size_t n = 0; n <= 12; n += 2) {
    memset(b, '~', sizeof b);
    b[15] = 0;
    int r = snprintf(b, n, "%d-%s", 12345, "abcd");
    printf("%zu %d [", n, r);
    for (int i = 0; i < 13; i++) putchar(b[i] ? b[i] : '0');
    puts("]");
  }
  printf("%d\n", snprintf(NULL, 0, "%100s|%.50f", "x", 1.0));
  int r = sprintf(b, "%s", "");
  printf("%d %d\n", r, b[0]);
  r = sprintf(b, "%c%c%c", 'a', 0, 'b');
  printf("%d %d %d\n", r, b[1], b[2]);
  char *s = NULL;
  r = asprintf(&s, "%0*d %s", 8, 77, "allocated");
  if (r < 0) return 1;
  printf("%d %s\n", r, s);
  free(s);
  char line[64];
  size_t used = 0;
  for (int i = 0; i < 30 && used < sizeof line; i++) {
    int k = snprintf(line + used, sizeof line - used, "%d,", i * i);
    if (k < 0 || (size_t)k >= sizeof line - used) {
      line[used] = 0;
      printf("stopped at %d\n", i);
      break;
    }
    used += (size_t)k;
  }
  printf("%s %zu\n", line, used);
  char big[600];
  r = snprintf(big, sizeof big, "%500d|%-50s|", 5, "z");
  printf("%d %c %c\n", r, big[499], big[501]);
  return r & 0xff;
}
