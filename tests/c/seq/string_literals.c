// String literals: embedded zeros, concatenation, indexing, const data tables.
#include <stdio.h>
#include <string.h>

static const char table[][8] = {"alpha", "beta", "gamma\0x", "", "delta12"};
static const unsigned char digits[16] = "0123456789abcdef";
static const char *const lines = "first\n"
                                 "second\tline\n"
                                 "\"quoted\" \\ back\n";
static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};

int main(void) {
  fputs(lines, stdout);
  for (int i = 0; i < 5; i++) printf("[%s:%zu]", table[i], strlen(table[i]));
  puts("");
  printf("%c%c %c %zu\n", "hello"[1], *&"world"[4], digits[11], sizeof "a\0b\0");
  char arr[] = "copy me";
  arr[4] = 0;
  printf("%s %s %zu\n", arr, arr + 5, sizeof arr);
  char raw[16];
  memcpy(raw, "x\0y\0z", 6);
  int z = 0;
  for (int i = 0; i < 6; i++) z += raw[i] == 0;
  printf("%d\n", z);
  int s = 0;
  for (const int *p = primes; p < primes + 10; p++) s += *p;
  printf("%d\n", s);
  printf("%s %d\n", __func__, __LINE__ > 20);
  const char *e = "";
  printf("%d %zu\n", *e, strlen(e));
  printf("%.3s|%10.2s|%-6s|\n", "abcdef", "xyz", "ab");
  puts("tab\there\x21\041 \? end");
  return s;
}
