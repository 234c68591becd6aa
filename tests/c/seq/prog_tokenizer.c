// A tokenizer for a C-like language: operators by longest match, numbers, strings, comments.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { END, IDENT, KEYWORD, INT, FLOAT, STRING, CHAR, OP, BAD, NKINDS };
static const char *const kind_name[NKINDS] = {"end", "ident", "keyword", "int", "float", "string", "char", "op", "bad"};
struct token {
  enum kind kind;
  const char *at;
  int len, line;
};
struct lexer {
  const char *p;
  int line;
};

static struct token next(struct lexer *l) {
  static const char *const keywords[] = {"if", "else", "while", "return", "int", "for"};
  static const char *const ops[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-="};
  for (;;) {
    while (isspace((unsigned char)*l->p)) l->line += *l->p++ == '\n';
    if (l->p[0] == '/' && l->p[1] == '/') {
      while (*l->p && *l->p != '\n') l->p++;
    } else if (l->p[0] == '/' && l->p[1] == '*') {
      for (l->p += 2; *l->p && !(l->p[0] == '*' && l->p[1] == '/'); l->p++) l->line += *l->p == '\n';
      if (*l->p) l->p += 2;
    } else {
      break;
    }
  }
  struct token t = {END, l->p, 0, l->line};
  const char *p = l->p;
  if (!*p) return t;
  if (isalpha((unsigned char)*p) || *p == '_') {
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    t.kind = IDENT;
    for (unsigned i = 0; i < sizeof keywords / sizeof *keywords; i++)
      if (strlen(keywords[i]) == (size_t)(p - t.at) && !strncmp(keywords[i], t.at, (size_t)(p - t.at))) t.kind = KEYWORD;
  } else if (isdigit((unsigned char)*p)) {
    char *e;
    strtoul(p, &e, 0);
    t.kind = INT;
    if (*e == '.' || ((*e == 'e' || *e == 'E') && p[1] != 'x')) {
      strtod(p, &e);
      t.kind = FLOAT;
    }
    p = e;
  } else if (*p == '"' || *p == '\'') {
    char q = *p++;
    while (*p && *p != q && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
    t.kind = *p == q ? (q == '"' ? STRING : CHAR) : BAD;
    if (*p == q) p++;
  } else {
    t.kind = strchr("+-*/%=<>!&|^~?:;,.(){}[]", *p) ? OP : BAD;
    int n = 1;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
      if (!strncmp(ops[i], p, strlen(ops[i]))) {
        n = (int)strlen(ops[i]);
        break;
      }
    p += n;
  }
  t.len = (int)(p - t.at);
  l->p = p;
  return t;
}

int main(void) {
  const char *src = "int main(void) { // entry\n"
                    "  for (int i = 0x1F; i <= 100; i++) x->y += 2.5e-3 * f('\\n', \"a \\\"b\\\"\");\n"
                    "  /* block\n comment */ while (a && b || !c) z <<= 3;\n"
                    "  return n>>1 ... $ 077 9. \"open\n}\n";
  struct lexer l = {src, 1};
  int counts[NKINDS] = {0}, total = 0;
  for (struct token t; (t = next(&l)).kind != END; total++) {
    counts[t.kind]++;
    printf("%d:%s:%.*s ", t.line, kind_name[t.kind], t.len, t.at);
  }
  puts("");
  for (int i = 0; i < NKINDS; i++) printf("%s=%d ", kind_name[i], counts[i]);
  printf("lines %d\n", l.line);
  return total;
}
