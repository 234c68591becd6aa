// ctype.h: every classification and conversion over 0..127 and EOF.
#define _DEFAULT_SOURCE
#include <ctype.h>
#include <stdio.h>

int main(void) {
  int counts[12] = {0};
  unsigned h = 0;
  for (int c = -1; c < 128; c++) {
    int bits = !!isalnum(c) | !!isalpha(c) << 1 | !!isblank(c) << 2 | !!iscntrl(c) << 3 | !!isdigit(c) << 4 |
               !!isgraph(c) << 5 | !!islower(c) << 6 | !!isprint(c) << 7 | !!ispunct(c) << 8 | !!isspace(c) << 9 |
               !!isupper(c) << 10 | !!isxdigit(c) << 11;
    for (int k = 0; k < 12; k++) counts[k] += bits >> k & 1;
    h = h * 31 + (unsigned)bits;
    h = h * 31 + (unsigned)tolower(c) * 3 + (unsigned)toupper(c);
  }
  for (int k = 0; k < 12; k++) printf("%d ", counts[k]);
  printf("%u\n", h);
  char s[] = "Mixed CASE, 123 and_Under!";
  for (char *p = s; *p; p++) *p = (char)(isupper((unsigned char)*p) ? tolower((unsigned char)*p) : toupper((unsigned char)*p));
  puts(s);
  for (int c = 128; c < 256; c++) h += (unsigned)!!isalpha(c);
  printf("%u %d %d\n", h, isascii(200), toascii(0xe1));
  return counts[8];
}
