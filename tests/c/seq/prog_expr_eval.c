// Expression evaluator: recursive descent with precedence, variables, functions, errors.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *p;
static const char *err;
static double vars[26];

static double expr(int min);
static void skip(void) {
  while (*p == ' ') p++;
}
static double fail(const char *m) {
  if (!err) err = m;
  return 0;
}
static double primary(void) {
  skip();
  if (isdigit((unsigned char)*p) || *p == '.') {
    char *e;
    double v = strtod(p, &e);
    p = e;
    return v;
  }
  if (*p == '(') {
    p++;
    double v = expr(0);
    skip();
    if (*p != ')') return fail("expected )");
    p++;
    return v;
  }
  if (*p == '-') {
    p++;
    return -expr(50);
  }
  if (*p == '!') {
    p++;
    return !expr(50);
  }
  if (isalpha((unsigned char)*p)) {
    char name[8];
    int n = 0;
    while (isalpha((unsigned char)*p) && n < 7) name[n++] = *p++;
    name[n] = 0;
    skip();
    if (*p == '(') {
      p++;
      double a = expr(0), b = 0;
      skip();
      if (*p == ',') {
        p++;
        b = expr(0);
        skip();
      }
      if (*p != ')') return fail("expected ) after arguments");
      p++;
      if (!strcmp(name, "sqrt")) return sqrt(a);
      if (!strcmp(name, "abs")) return fabs(a);
      if (!strcmp(name, "max")) return a > b ? a : b;
      if (!strcmp(name, "floor")) return floor(a);
      return fail("unknown function");
    }
    if (n != 1) return fail("unknown name");
    return vars[tolower((unsigned char)name[0]) - 'a'];
  }
  return fail(*p ? "unexpected character" : "unexpected end");
}
static int op(int *prec) {
  skip();
  static const struct {
    const char *s;
    int prec, id;
  } ops[] = {{"==", 10, 'e'}, {"<=", 15, 'l'}, {"<", 15, '<'}, {">", 15, '>'}, {"+", 20, '+'}, {"-", 20, '-'},
             {"*", 30, '*'},  {"/", 30, '/'},  {"%", 30, '%'}, {"^", 40, '^'}, {"?", 5, '?'}};
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
    if (!strncmp(p, ops[i].s, strlen(ops[i].s))) {
      *prec = ops[i].prec;
      return ops[i].id | (int)strlen(ops[i].s) << 8;
    }
  return 0;
}
static double expr(int min) {
  double v = primary();
  for (int prec, o; !err && (o = op(&prec)) && prec >= min;) {
    p += o >> 8;
    double r = expr((o & 255) == '^' || (o & 255) == '?' ? prec : prec + 1);
    switch (o & 255) {
      case '+': v += r; break;
      case '-': v -= r; break;
      case '*': v *= r; break;
      case '/':
        if (r == 0) return fail("division by zero");
        v /= r;
        break;
      case '%': v = fmod(v, r); break;
      case '^': v = pow(v, r); break;
      case '<': v = v < r; break;
      case '>': v = v > r; break;
      case 'l': v = v <= r; break;
      case 'e': v = v == r; break;
      case '?': {
        skip();
        if (*p != ':') return fail("expected :");
        p++;
        double other = expr(prec);
        v = v != 0 ? r : other;
      }
    }
  }
  return v;
}

int main(void) {
  static const char *const in[] = {"1 + 2 * 3",       "(1 + 2) * 3",  "2 ^ 3 ^ 2", "-2 ^ 2",      "10 / 4 - 3 % 2", "x * y + z",
                                   "sqrt(16) + max(2, 7)", "1 < 2 == 1", "x > 2 ? x : -x", "0 ? 1 : 0 ? 2 : 3", "8 / (4 - 4)", "(1 + 2",
                                   "foo(3)",          "1 +",          "$",         "abs(-3.5) * floor(2.9)", "!0 + !5", "1 <= 1"};
  vars['x' - 'a'] = 3;
  vars['y' - 'a'] = 4.5;
  vars['z' - 'a'] = -0.25;
  int bad = 0;
  for (unsigned i = 0; i < sizeof in / sizeof *in; i++) {
    p = in[i];
    err = NULL;
    double v = expr(0);
    skip();
    if (!err && *p) err = "trailing text";
    if (err) {
      printf("%s -> error: %s at %td\n", in[i], err, p - in[i]);
      bad++;
    } else {
      printf("%s = %.10g\n", in[i], v);
    }
  }
  return bad;
}
