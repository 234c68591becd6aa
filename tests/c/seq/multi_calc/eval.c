// Evaluator and printer of multi_calc.
#include "calc.h"

#include <stdio.h>
#include <string.h>

static struct {
  char name[16];
  long val;
} vars[16];
static int nvars;

static long *var(const char *name) {
  for (int i = 0; i < nvars; i++)
    if (!strcmp(vars[i].name, name)) return &vars[i].val;
  memcpy(vars[nvars].name, name, sizeof vars->name);
  return &vars[nvars++].val;
}
long eval(const struct node *n, int *fault) {
  switch (n->kind) {
    case N_NUM: return n->num;
    case N_VAR: return *var(n->name);
    case N_NEG: return -eval(n->a, fault);
    case N_SET: return *var(n->a->name) = eval(n->b, fault);
    case N_BIN: break;
  }
  long a = eval(n->a, fault), b = eval(n->b, fault);
  switch (n->op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
  }
  if (!b) {
    *fault = 1;
    return 0;
  }
  return n->op == '/' ? a / b : a % b;
}
void dump(const struct node *n) {
  switch (n->kind) {
    case N_NUM: printf("%ld", n->num); break;
    case N_VAR: printf("%s", n->name); break;
    case N_NEG: printf("(neg "); dump(n->a); printf(")"); break;
    case N_BIN:
    case N_SET:
      printf("(%c ", n->op);
      dump(n->a);
      printf(" ");
      dump(n->b);
      printf(")");
  }
}
