// Reading stdin with getchar and ungetc: counting lines, words, characters, digits.
#include <ctype.h>
#include <stdio.h>

int main(void) {
  int c, lines = 0, words = 0, chars = 0, in = 0;
  unsigned h = 0;
  long numbers = 0;
  while ((c = getchar()) != EOF) {
    chars++;
    h = h * 31 + (unsigned)c;
    if (c == '\n') lines++;
    if (isspace(c)) in = 0;
    else if (!in) {
      in = 1;
      words++;
      if (isdigit(c)) {
        ungetc(c, stdin);
        chars--;
        long v;
        if (scanf("%ld", &v) == 1) numbers += v;
      }
    }
  }
  printf("%d %d %d %u %ld\n", lines, words, chars, h, numbers);
  printf("%d %d\n", feof(stdin) != 0, ferror(stdin) != 0);
  clearerr(stdin);
  printf("%d ", feof(stdin) != 0);
  printf("%d\n", getchar());
  return lines;
}
