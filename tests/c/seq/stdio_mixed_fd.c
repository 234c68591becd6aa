// write(2) to descriptor 1 mixed with buffered stdio and explicit flushes; dprintf; unbuffered stdout.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  printf("buffered one\n");
  fflush(stdout);
  ssize_t n = write(1, "direct two\n", 11);
  printf("three %zd\n", n);
  fflush(stdout);
  dprintf(1, "four %d %s\n", 4, "dprintf");
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("unbuffered five\n");
  if (write(STDOUT_FILENO, "six\n", 4) != 4) return 1;
  putchar('7');
  putchar('\n');
  char line[32];
  snprintf(line, sizeof line, "%s %d\n", "eight", 8);
  if (write(1, line, strlen(line)) < 0) return 1;
  n = write(-1, "x", 1);
  printf("%zd\n", n);
  return 9;
}
