// String builder: append, printf, insert, replace, trim, split, join, growth.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sb {
  char *s;
  size_t len, cap;
  int grows;
};
static void need(struct sb *b, size_t extra) {
  if (b->len + extra + 1 <= b->cap) return;
  while (b->len + extra + 1 > b->cap) b->cap = b->cap ? b->cap * 3 / 2 : 8;
  b->s = realloc(b->s, b->cap);
  if (!b->s) exit(9);
  b->grows++;
}
static void add(struct sb *b, const char *s, size_t n) {
  need(b, n);
  memcpy(b->s + b->len, s, n);
  b->s[b->len += n] = 0;
}
static void adds(struct sb *b, const char *s) { add(b, s, strlen(s)); }
__attribute__((format(printf, 2, 3))) static void addf(struct sb *b, const char *fmt, ...) {
  va_list ap, cp;
  va_start(ap, fmt);
  va_copy(cp, ap);
  int n = vsnprintf(NULL, 0, fmt, cp);
  va_end(cp);
  need(b, (size_t)n);
  vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
  b->len += (size_t)n;
  va_end(ap);
}
static void insert(struct sb *b, size_t at, const char *s) {
  size_t n = strlen(s);
  need(b, n);
  memmove(b->s + at + n, b->s + at, b->len - at + 1);
  memcpy(b->s + at, s, n);
  b->len += n;
}
static int replace(struct sb *b, const char *from, const char *to) {
  struct sb out = {0};
  int n = 0;
  const char *p = b->s, *q;
  while ((q = strstr(p, from))) {
    add(&out, p, (size_t)(q - p));
    adds(&out, to);
    p = q + strlen(from);
    n++;
  }
  adds(&out, p);
  free(b->s);
  *b = out;
  return n;
}
static char *trim(char *s) {
  while (isspace((unsigned char)*s)) s++;
  char *e = s + strlen(s);
  while (e > s && isspace((unsigned char)e[-1])) *--e = 0;
  return s;
}
static void reverse(char *s) {
  for (char *e = s + strlen(s); s < e;) {
    char t = *s;
    *s++ = *--e;
    *e = t;
  }
}

int main(void) {
  struct sb b = {0};
  for (int i = 0; i < 30; i++) addf(&b, "%s%d", i ? "," : "", i * i);
  printf("%zu %d %s\n", b.len, b.grows, b.s);
  insert(&b, 0, "[");
  insert(&b, b.len, "]");
  insert(&b, 5, "<here>");
  int r = replace(&b, "1", "one");
  printf("%d %s\n", r, b.s);
  b.len = 0;
  adds(&b, " \t padded text \n");
  printf("'%s'\n", trim(b.s));
  b.len = 0;
  char csv[] = "a, b ,c,, d ";
  for (char *p = csv, *c;; p = c + 1) {
    c = strchr(p, ',');
    if (c) *c = 0;
    addf(&b, "(%s)", trim(p));
    if (!c) break;
  }
  puts(b.s);
  reverse(b.s);
  puts(b.s);
  char cap[] = "the quick brown fox";
  for (char *p = cap; *p; p++)
    if (p == cap || p[-1] == ' ') *p = (char)toupper((unsigned char)*p);
  puts(cap);
  int rc = (int)b.len;
  free(b.s);
  return rc;
}
