// string.h: strlen, strcpy, strcat, strcmp and their n-variants, strchr, strstr, strdup and kin.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sgn(int x) { return (x > 0) - (x < 0); }
static long at(const char *base, const char *p) { return p ? p - base : -1; }

int main(void) {
  const char *volatile texts[] = {"", "a", "abc", "abd", "ab", "ABC", "\xff", "abcabc"};
  enum { N = 8 };
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      printf("%d%d%d%d ", sgn(strcmp(texts[i], texts[j])), sgn(strncmp(texts[i], texts[j], 2)),
             sgn(strcasecmp(texts[i], texts[j])), sgn(strncasecmp(texts[i], texts[j], 3)));
    printf("| %zu %zu\n", strlen(texts[i]), strnlen(texts[i], 2));
  }
  char b[32];
  printf("%s ", strcpy(b, "hello"));
  printf("%s\n", strcat(b, " world"));
  printf("%s\n", strncat(b, "!!!!", 2));
  memset(b, '#', sizeof b);
  strncpy(b, "abc", 6);
  printf("%d %d %c\n", b[2], b[5], b[6]);
  strncpy(b, "abcdefgh", 4);
  printf("%.7s\n", b);
  char *e = stpcpy(b, "stp");
  printf("%ld\n", at(b, e));
  e = stpncpy(b, "xy", 5);
  printf("%ld\n", at(b, e));
  const char *s = "the quick brown fox jumps";
  printf("%ld %ld %ld %ld\n", at(s, strchr(s, 'q')), at(s, strrchr(s, 'o')), at(s, strchr(s, 0)), at(s, strchr(s, 'z')));
  printf("%ld %ld %ld %ld\n", at(s, strstr(s, "brown")), at(s, strstr(s, "")), at(s, strstr(s, "cat")), at(s, strcasestr(s, "FOX")));
  printf("%zu %zu %ld\n", strspn(s, "eht "), strcspn(s, "kz"), at(s, strpbrk(s, "xyz")));
  printf("%ld %ld\n", at(s, strchrnul(s, 'Z')), at(s, rawmemchr(s, 'j')));
  char *d = strdup(s), *nd = strndup(s, 9);
  if (!d || !nd) return 1;
  printf("%s|%s\n", d, nd);
  char copy[32];
  strcpy(copy, d);
  free(d);
  free(nd);
  char *save, *tok;
  int n = 0;
  for (tok = strtok_r(copy, " ", &save); tok; tok = strtok_r(NULL, " ", &save)) printf("<%s>", tok), n++;
  puts("");
  char list[] = ",,a,b,,c,";
  for (tok = strtok(list, ","); tok; tok = strtok(NULL, ",")) printf("[%s]", tok);
  puts("");
  char sep[] = "k=v;x=;=z", *cur = sep;
  while ((tok = strsep(&cur, ";="))) printf("{%s}", tok);
  puts("");
  printf("%d %d\n", sgn(strcoll("a", "b")), sgn(strverscmp("file9", "file10")));
  char xf[8];
  printf("%zu %s\n", strxfrm(xf, "abc", sizeof xf), xf);
  printf("%s\n", basename("/usr/lib/name.c"));
  return n;
}
