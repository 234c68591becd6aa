// JSON parser, printer and queries; errors with positions.
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { NUL, BOOL, NUM, STR, ARR, OBJ };
struct value {
  enum type type;
  union {
    int b;
    double n;
    char *s;
    struct {
      struct value *item;
      char **key;
      int len;
    };
  };
};
struct parser {
  const char *text, *p;
  jmp_buf fail;
  const char *why;
};

static void *xrealloc(void *p, size_t n) {
  p = realloc(p, n);
  if (!p) exit(99);
  return p;
}
static void die(struct parser *ps, const char *why) {
  ps->why = why;
  longjmp(ps->fail, 1);
}
static void ws(struct parser *ps) {
  while (isspace((unsigned char)*ps->p)) ps->p++;
}
static void release(struct value *v) {
  if (v->type == STR) free(v->s);
  if (v->type >= ARR) {
    for (int i = 0; i < v->len; i++) {
      release(&v->item[i]);
      if (v->key) free(v->key[i]);
    }
    free(v->item);
    free(v->key);
  }
  v->type = NUL;
}
static char *string(struct parser *ps) {
  char *out = xrealloc(NULL, strlen(ps->p) + 1);
  int n = 0;
  ps->p++;
  while (*ps->p != '"') {
    char c = *ps->p++;
    if (!c || c == '\n') {
      free(out);
      die(ps, "unterminated string");
    }
    if (c == '\\') {
      c = *ps->p++;
      switch (c) {
        case 'n': c = '\n'; break;
        case 't': c = '\t'; break;
        case 'u': {
          char hex[5] = {0};
          strncpy(hex, ps->p, 4);
          unsigned u = (unsigned)strtoul(hex, NULL, 16);
          ps->p += strlen(hex);
          if (u >= 0x80) {
            out[n++] = (char)(0xc0 | (u >> 6 & 0x1f));
            c = (char)(0x80 | (u & 0x3f));
          } else {
            c = (char)u;
          }
          break;
        }
        case '"': case '\\': case '/': break;
        default:
          free(out);
          die(ps, "bad escape");
      }
    }
    out[n++] = c;
  }
  ps->p++;
  out[n] = 0;
  return out;
}
static void parse(struct parser *ps, struct value *v);
static void sequence(struct parser *ps, struct value *v, char close) {
  ps->p++;
  ws(ps);
  if (*ps->p == close) {
    ps->p++;
    return;
  }
  for (;;) {
    v->item = xrealloc(v->item, sizeof *v->item * (size_t)(v->len + 1));
    char *key = NULL;
    if (close == '}') {
      ws(ps);
      if (*ps->p != '"') die(ps, "key expected");
      key = string(ps);
      v->key = xrealloc(v->key, sizeof *v->key * (size_t)(v->len + 1));
      v->key[v->len] = key;
    }
    v->item[v->len] = (struct value){.type = NUL};
    struct value *slot = &v->item[v->len++];
    if (close == '}') {
      ws(ps);
      if (*ps->p++ != ':') die(ps, "colon expected");
    }
    parse(ps, slot);
    ws(ps);
    if (*ps->p == close) {
      ps->p++;
      return;
    }
    if (*ps->p++ != ',') die(ps, "comma expected");
  }
}
static void parse(struct parser *ps, struct value *v) {
  ws(ps);
  *v = (struct value){.type = NUL};
  switch (*ps->p) {
    case '{':
      v->type = OBJ;
      v->item = NULL, v->key = NULL, v->len = 0;
      sequence(ps, v, '}');
      return;
    case '[':
      v->type = ARR;
      v->item = NULL, v->key = NULL, v->len = 0;
      sequence(ps, v, ']');
      return;
    case '"': {
      char *s = string(ps);
      v->type = STR;
      v->s = s;
      return;
    }
  }
  static const char *const words[] = {"null", "false", "true"};
  for (int i = 0; i < 3; i++)
    if (!strncmp(ps->p, words[i], strlen(words[i]))) {
      ps->p += strlen(words[i]);
      v->type = i ? BOOL : NUL;
      v->b = i == 2;
      return;
    }
  char *e;
  double d = strtod(ps->p, &e);
  if (e == ps->p) die(ps, "value expected");
  ps->p = e;
  v->type = NUM;
  v->n = d;
}
static void print(const struct value *v) {
  switch (v->type) {
    case NUL: printf("null"); break;
    case BOOL: printf(v->b ? "true" : "false"); break;
    case NUM: printf("%g", v->n); break;
    case STR:
      putchar('"');
      for (const char *s = v->s; *s; s++)
        if (*s == '"' || *s == '\\') printf("\\%c", *s);
        else if (*s == '\n') printf("\\n");
        else putchar(*s);
      putchar('"');
      break;
    case ARR:
    case OBJ:
      putchar(v->type == ARR ? '[' : '{');
      for (int i = 0; i < v->len; i++) {
        if (i) putchar(',');
        if (v->type == OBJ) printf("\"%s\":", v->key[i]);
        print(&v->item[i]);
      }
      putchar(v->type == ARR ? ']' : '}');
  }
}
static double sum(const struct value *v) {
  if (v->type == NUM) return v->n;
  double s = 0;
  if (v->type >= ARR)
    for (int i = 0; i < v->len; i++) s += sum(&v->item[i]);
  return s;
}

int main(void) {
  static const char *const docs[] = {
      "{\"name\": \"thread\\\"bare\", \"n\": [1, 2.5, -3e2, []], \"ok\": true, \"none\": null}",
      "[[1,[2,[3,[4]]]], {\"a\":{\"b\":{}}}]",
      "\"esc \\n \\u0041 \\u00e9 \\\\\"",
      "  42  ",
      "[1, 2",
      "{\"a\" 1}",
      "[1 2]",
      "{a:1}",
      "\"open",
      "[\"bad \\q\"]",
      "",
  };
  int errors = 0;
  for (unsigned i = 0; i < sizeof docs / sizeof *docs; i++) {
    static struct parser ps;
    static struct value v;
    v.type = NUL;
    ps.text = ps.p = docs[i];
    if (setjmp(ps.fail) == 0) {
      parse(&ps, &v);
      print(&v);
      printf(" sum %g\n", sum(&v));
    } else {
      printf("error at %td: %s\n", ps.p - ps.text, ps.why);
      errors++;
    }
    release(&v);
  }
  return errors;
}
