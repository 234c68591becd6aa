// Regex matcher: backtracking over a compiled node list, with classes, groups, alternation.
#include <stdio.h>
#include <string.h>

// Grammar: alt = seq ('|' seq)*, seq = (atom [*+?])*, atom = char | . | [class] | (alt) | ^ | $
typedef struct {
  const char *re, *text;
  int steps;
} ctx;

static const char *alt_end(const char *r) {
  int depth = 0;
  for (; *r; r++) {
    if (*r == '\\' && r[1]) r++;
    else if (*r == '[') while (r[1] && *++r != ']') {}
    else if (*r == '(') depth++;
    else if (*r == ')' && depth-- == 0) return r;
    else if (*r == '|' && depth == 0) return r;
  }
  return r;
}
static const char *atom_end(const char *r) {
  if (*r == '\\') return r + 2;
  if (*r == '[') return strchr(r + 2, ']') + 1;
  if (*r == '(') {
    r++;
    for (;;) {
      r = alt_end(r);
      if (*r == ')') return r + 1;
      r++;
    }
  }
  return r + 1;
}
static int in_class(const char *r, char c) {
  int neg = r[1] == '^';
  r += 1 + neg;
  int hit = 0;
  do {
    if (r[1] == '-' && r[2] != ']') {
      hit |= c >= r[0] && c <= r[2];
      r += 3;
    } else {
      hit |= c == *r++;
    }
  } while (*r != ']');
  return hit != neg;
}

typedef struct cont {
  const char *re, *end;
  const struct cont *next;
} cont;

static const char *match_seq(ctx *c, const char *re, const char *end, const char *t, const cont *k);
static const char *match_alt(ctx *c, const char *re, const char *end, const char *t, const cont *k) {
  for (;;) {
    const char *e = alt_end(re);
    const char *r = match_seq(c, re, e, t, k);
    if (r) return r;
    if (e >= end || *e != '|') return NULL;
    re = e + 1;
  }
}
static const char *resume(ctx *c, const char *t, const cont *k) {
  return k ? match_seq(c, k->re, k->end, t, k->next) : t;
}
static const char *match_atom(ctx *c, const char *a, const char *ae, const char *t, const cont *k) {
  c->steps++;
  switch (*a) {
    case '(': return match_alt(c, a + 1, ae - 1, t, k);
    case '^': return t == c->text ? resume(c, t, k) : NULL;
    case '$': return !*t ? resume(c, t, k) : NULL;
    case '[': return *t && in_class(a, *t) ? resume(c, t + 1, k) : NULL;
    case '.': return *t ? resume(c, t + 1, k) : NULL;
    case '\\': return *t == a[1] ? resume(c, t + 1, k) : NULL;
    default: return *t == *a ? resume(c, t + 1, k) : NULL;
  }
}
static const char *match_seq(ctx *c, const char *re, const char *end, const char *t, const cont *k) {
  if (re >= end) return resume(c, t, k);
  const char *ae = atom_end(re);
  char q = ae < end ? *ae : 0;
  const char *r;
  if (q == '?') {
    cont rest = {ae + 1, end, k};
    if ((r = match_atom(c, re, ae, t, &rest))) return r;
    return match_seq(c, ae + 1, end, t, k);
  }
  if (q == '*' || q == '+') {
    char star[64];
    size_t n = (size_t)(ae - re);
    memcpy(star, re, n);
    star[n] = '*';
    cont rest = {ae + 1, end, k}, loop = {star, star + n + 1, &rest};
    if (*t || q == '+') {
      if ((r = match_atom(c, re, ae, t, &loop))) return r;
    }
    return q == '*' ? match_seq(c, ae + 1, end, t, k) : NULL;
  }
  cont rest = {ae, end, k};
  return match_atom(c, re, ae, t, &rest);
}
static int search(const char *re, const char *text, int *len, int *steps) {
  ctx c = {re, text, 0};
  for (const char *s = text;; s++) {
    const char *e = match_alt(&c, re, re + strlen(re), s, NULL);
    if (e) {
      *len = (int)(e - s);
      *steps = c.steps;
      return (int)(s - text);
    }
    if (!*s) break;
  }
  *steps = c.steps;
  return -1;
}

int main(void) {
  static const char *const t[][2] = {{"abc", "xxabcx"},     {"a*b", "caaab"},          {"^a.c$", "abc"},       {"^a.c$", "abcd"},
                                     {"[a-c]+d", "zzabcabd"}, {"x(ab|cd)*y", "xababcdy"}, {"colou?r", "my color"}, {"(a|b)(c|d)e", "..bde"},
                                     {"[^0-9]+", "123abc456"}, {"a\\.b", "axb a.b"},    {"(foo|bar)+baz", "foobarfoobaz"}, {"nothing", "else"},
                                     {"", "x"},             {"a+b+c", "aabbbcc"},       {"(x+x+)y", "xxxxxxz"}};
  int found = 0;
  for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
    int len = 0, steps = 0, at = search(t[i][0], t[i][1], &len, &steps);
    printf("%-14s %-14s ", t[i][0], t[i][1]);
    if (at >= 0) printf("at %d '%.*s' %d\n", at, len, t[i][1] + at, steps);
    else printf("no %d\n", steps);
    found += at >= 0;
  }
  return found;
}
