// puts, fputs, putchar, putc, fputc, fwrite, fprintf to stdout and stderr, fflush, setvbuf, perror.
#include <errno.h>
#include <stdio.h>
#include <string.h>

static char big[256];

int main(void) {
  static char buffer[128];
  printf("%d\n", setvbuf(stdout, buffer, _IOFBF, sizeof buffer));
  puts("puts");
  fputs("fputs\n", stdout);
  for (int c = 'a'; c < 'f'; c++) putchar(c);
  putc('!', stdout);
  fputc('\n', stdout);
  const char raw[] = {'r', 'a', 'w', '\0', 'x', '\n'};
  printf("%zu\n", fwrite(raw, 1, sizeof raw, stdout));
  short words[3] = {0x4241, 0x4443, 0x0a45};
  size_t n = fwrite(words, sizeof *words, 3, stdout);
  fprintf(stdout, "%zu items\n", n);
  memset(big, '=', sizeof big - 1);
  for (int i = 0; i < 3; i++) puts(big + i * 50);
  fflush(stdout);
  fprintf(stderr, "to stderr %d\n", 5);
  errno = ENOENT;
  perror("perror says");
  fputs("stderr end\n", stderr);
  printf("no newline");
  fflush(NULL);
  int pc = putchar(0x163);
  printf("\n%d\n", pc);
  printf("%d %d\n", fileno(stdout), ferror(stdout));
  return 42;
}
