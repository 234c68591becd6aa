#ifndef CALC_H
#define CALC_H
enum tok { T_END, T_NUM, T_NAME, T_OP, T_ERR };
struct lexer {
  const char *p;
  enum tok tok;
  long num;
  char name[16], op;
};
enum node_kind { N_NUM, N_VAR, N_BIN, N_NEG, N_SET };
struct node {
  enum node_kind kind;
  char op;
  long num;
  char name[16];
  struct node *a, *b;
};
void lex_next(struct lexer *l);
struct node *parse(const char *text, const char **error);
void node_free(struct node *n);
long eval(const struct node *n, int *fault);
void dump(const struct node *n);
extern int node_count;
#endif
