// A small Lisp: reader, evaluator with closures, mark and sweep collector.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { NUM, SYM, CONS, PRIM, LAMBDA };
typedef struct obj obj;
struct obj {
  enum type type;
  int mark;
  union {
    long num;
    char sym[12];
    struct {
      obj *car, *cdr;
    };
    obj *(*prim)(obj *);
    struct {
      obj *params, *body, *env;
    };
  };
};
enum { HEAP = 3000 };
static obj heap[HEAP], *free_list, *symbols, *global, *t_sym;
static obj *roots[400];
static int nroots, collections, live;

static void mark(obj *o) {
  while (o && !o->mark) {
    o->mark = 1;
    if (o->type == CONS) {
      mark(o->car);
      o = o->cdr;
    } else if (o->type == LAMBDA) {
      mark(o->params);
      mark(o->body);
      o = o->env;
    } else {
      return;
    }
  }
}
static void collect(void) {
  collections++;
  mark(symbols);
  mark(global);
  for (int i = 0; i < nroots; i++) mark(roots[i]);
  free_list = NULL;
  live = 0;
  for (int i = 0; i < HEAP; i++) {
    if (heap[i].mark) {
      heap[i].mark = 0;
      live++;
    } else {
      heap[i].type = CONS;
      heap[i].car = NULL;
      heap[i].cdr = free_list;
      free_list = &heap[i];
    }
  }
}
static obj *root(obj *o) {
  if (nroots == 400) exit(90);
  return roots[nroots++] = o;
}
static obj *alloc(enum type t) {
  if (!free_list) collect();
  if (!free_list) exit(91);
  obj *o = free_list;
  free_list = o->cdr;
  o->type = t;
  return o;
}
static obj *num(long n) {
  obj *o = alloc(NUM);
  o->num = n;
  return o;
}
static obj *cons(obj *a, obj *d) {
  int save = nroots;
  root(a);
  root(d);
  obj *o = alloc(CONS);
  o->car = a;
  o->cdr = d;
  nroots = save;
  return o;
}
static obj *sym(const char *s) {
  for (obj *l = symbols; l; l = l->cdr)
    if (!strcmp(l->car->sym, s)) return l->car;
  obj *o = alloc(SYM);
  snprintf(o->sym, sizeof o->sym, "%s", s);
  symbols = cons(o, symbols);
  return o;
}
static obj *read(const char **p) {
  while (isspace((unsigned char)**p)) ++*p;
  if (**p == '(') {
    ++*p;
    int save = nroots;
    obj *head = NULL, *tail = NULL;
    for (;;) {
      while (isspace((unsigned char)**p)) ++*p;
      if (**p == ')') break;
      obj *c = cons(read(p), NULL);
      if (!head) head = root(c);
      else tail->cdr = c;
      tail = c;
    }
    ++*p;
    nroots = save;
    return head;
  }
  if (**p == '\'') {
    ++*p;
    int save = nroots;
    obj *q = root(cons(read(p), NULL));
    q = cons(sym("quote"), q);
    nroots = save;
    return q;
  }
  char tok[12];
  int n = 0;
  while (**p && !isspace((unsigned char)**p) && !strchr("()", **p) && n < 11) tok[n++] = *(*p)++;
  tok[n] = 0;
  char *e;
  long v = strtol(tok, &e, 10);
  return *e || !n ? sym(tok) : num(v);
}
static void print(const obj *o) {
  if (!o) printf("nil");
  else if (o->type == NUM) printf("%ld", o->num);
  else if (o->type == SYM) printf("%s", o->sym);
  else if (o->type != CONS) printf("<fn>");
  else {
    printf("(");
    for (; o && o->type == CONS; o = o->cdr) {
      print(o->car);
      if (o->cdr) printf(" ");
    }
    if (o) {
      printf(". ");
      print(o);
    }
    printf(")");
  }
}
static obj *lookup(const obj *s, obj *env) {
  for (; env; env = env->cdr)
    if (env->car->car == s) return env->car;
  for (env = global; env; env = env->cdr)
    if (env->car->car == s) return env->car;
  printf("unbound %s\n", s->sym);
  exit(92);
}
static obj *eval(obj *x, obj *env) {
  int save = nroots;
  obj *r = NULL;
  root(x);
  root(env);
  if (!x || x->type == NUM) {
    r = x;
  } else if (x->type == SYM) {
    r = lookup(x, env)->cdr;
  } else {
    const char *h = x->car && x->car->type == SYM ? x->car->sym : "";
    if (!strcmp(h, "quote")) {
      r = x->cdr->car;
    } else if (!strcmp(h, "if")) {
      r = eval(x->cdr->car, env) ? eval(x->cdr->cdr->car, env) : x->cdr->cdr->cdr ? eval(x->cdr->cdr->cdr->car, env) : NULL;
    } else if (!strcmp(h, "lambda")) {
      r = alloc(LAMBDA);
      r->params = x->cdr->car;
      r->body = x->cdr->cdr->car;
      r->env = env;
    } else if (!strcmp(h, "define")) {
      obj *v = root(eval(x->cdr->cdr->car, env));
      global = cons(root(cons(x->cdr->car, v)), global);
      r = x->cdr->car;
    } else {
      obj *f = root(eval(x->car, env)), *args = NULL, *tail = NULL;
      for (obj *a = x->cdr; a; a = a->cdr) {
        obj *c = cons(eval(a->car, env), NULL);
        if (!args) args = root(c);
        else tail->cdr = c;
        tail = c;
      }
      if (f->type == PRIM) {
        r = f->prim(args);
      } else {
        obj *e = f->env;
        int slot = nroots;
        root(e);
        root(NULL);
        for (obj *p = f->params; p; p = p->cdr, args = args->cdr) {
          roots[slot + 1] = cons(p->car, args->car);
          roots[slot] = e = cons(roots[slot + 1], e);
        }
        r = eval(f->body, e);
      }
    }
  }
  nroots = save;
  return r;
}
static obj *p_add(obj *a) {
  long s = 0;
  for (; a; a = a->cdr) s += a->car->num;
  return num(s);
}
static obj *p_mul(obj *a) {
  long s = 1;
  for (; a; a = a->cdr) s *= a->car->num;
  return num(s);
}
static obj *p_sub(obj *a) { return num(a->cdr ? a->car->num - a->cdr->car->num : -a->car->num); }
static obj *p_lt(obj *a) { return a->car->num < a->cdr->car->num ? t_sym : NULL; }
static obj *p_car(obj *a) { return a->car->car; }
static obj *p_cdr(obj *a) { return a->car->cdr; }
static obj *p_cons(obj *a) { return cons(a->car, a->cdr->car); }
static obj *p_null(obj *a) { return a->car ? NULL : t_sym; }

int main(void) {
  collect();
  collections = 0;
  static const struct {
    const char *name;
    obj *(*fn)(obj *);
  } prims[] = {{"+", p_add}, {"*", p_mul}, {"-", p_sub}, {"<", p_lt}, {"car", p_car}, {"cdr", p_cdr}, {"cons", p_cons}, {"null", p_null}};
  for (unsigned i = 0; i < sizeof prims / sizeof *prims; i++) {
    obj *p = root(alloc(PRIM));
    p->prim = prims[i].fn;
    global = cons(root(cons(sym(prims[i].name), p)), global);
    nroots = 0;
  }
  t_sym = sym("t");
  global = cons(root(cons(sym("nil"), NULL)), global);
  nroots = 0;
  static const char *const prog[] = {
      "(define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1))))))",
      "(fact 15)",
      "(define map (lambda (f l) (if (null l) nil (cons (f (car l)) (map f (cdr l))))))",
      "(define range (lambda (a b) (if (< a b) (cons a (range (+ a 1) b)) nil)))",
      "(map (lambda (x) (* x x)) (range 0 10))",
      "(define adder (lambda (n) (lambda (x) (+ x n))))",
      "(map (adder 100) '(1 2 3))",
      "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))",
      "(fib 11)",
      "(cons 1 2)",
      "'(quoted (list) 'x)",
      "(define fold (lambda (f z l) (if (null l) z (fold f (f z (car l)) (cdr l)))))",
      "(fold + 0 (range 0 20))",
      "(define compose (lambda (f g) (lambda (x) (f (g x)))))",
      "((compose (adder 1) (lambda (x) (* x 10))) 7)",
  };
  for (unsigned i = 0; i < sizeof prog / sizeof *prog; i++) {
    const char *p = prog[i];
    nroots = 0;
    print(eval(read(&p), NULL));
    puts("");
  }
  nroots = 0;
  int before = collections;
  collect();
  printf("%d live %d\n", before > 0, live);
  return live & 0xff;
}
