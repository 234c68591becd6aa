// Parser of multi_calc: precedence climbing into a tree.
#include "calc.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

int node_count;
static struct node *pool[64];
static int pooled;
static jmp_buf bad;
static const char *why;

static _Noreturn void fail(const char *w) {
  why = w;
  longjmp(bad, 1);
}
static struct node *make(enum node_kind k, struct node *a, struct node *b) {
  struct node *n = calloc(1, sizeof *n);
  if (!n) exit(9);
  n->kind = k;
  n->a = a;
  n->b = b;
  node_count++;
  pool[pooled++] = n;
  return n;
}
static struct node *expr(struct lexer *l, int min);
static struct node *primary(struct lexer *l) {
  struct node *n;
  if (l->tok == T_NUM) {
    n = make(N_NUM, NULL, NULL);
    n->num = l->num;
    lex_next(l);
  } else if (l->tok == T_NAME) {
    n = make(N_VAR, NULL, NULL);
    memcpy(n->name, l->name, sizeof n->name);
    lex_next(l);
  } else if (l->tok == T_OP && l->op == '(') {
    lex_next(l);
    n = expr(l, 0);
    if (l->tok != T_OP || l->op != ')') fail("expected )");
    lex_next(l);
  } else if (l->tok == T_OP && l->op == '-') {
    lex_next(l);
    n = make(N_NEG, primary(l), NULL);
  } else {
    fail(l->tok == T_END ? "unexpected end" : "unexpected token");
  }
  return n;
}
static struct node *expr(struct lexer *l, int min) {
  struct node *left = primary(l);
  while (l->tok == T_OP && l->op != ')' && l->op != '(') {
    int prec = l->op == '=' ? 1 : l->op == '+' || l->op == '-' ? 2 : 3;
    char op = l->op;
    if (prec < min) break;
    lex_next(l);
    struct node *right = expr(l, op == '=' ? prec : prec + 1);
    if (op == '=' && left->kind != N_VAR) fail("bad assignment");
    left = make(op == '=' ? N_SET : N_BIN, left, right);
    left->op = op;
  }
  return left;
}
struct node *parse(const char *text, const char **error) {
  struct lexer l = {.p = text};
  pooled = 0;
  if (setjmp(bad)) {
    *error = why;
    for (int i = 0; i < pooled; i++) free(pool[i]);
    return NULL;
  }
  lex_next(&l);
  struct node *n = expr(&l, 0);
  if (l.tok != T_END) fail("trailing text");
  return n;
}
void node_free(struct node *n) {
  if (!n) return;
  node_free(n->a);
  node_free(n->b);
  free(n);
}
