// Lexer of multi_calc.
#include "calc.h"

#include <ctype.h>
#include <string.h>

void lex_next(struct lexer *l) {
  while (isspace((unsigned char)*l->p)) l->p++;
  if (!*l->p) {
    l->tok = T_END;
  } else if (isdigit((unsigned char)*l->p)) {
    l->tok = T_NUM;
    for (l->num = 0; isdigit((unsigned char)*l->p); l->p++) l->num = l->num * 10 + (*l->p - '0');
  } else if (isalpha((unsigned char)*l->p)) {
    size_t n = 0;
    for (; isalnum((unsigned char)*l->p) && n < sizeof l->name - 1; l->p++) l->name[n++] = *l->p;
    l->name[n] = 0;
    l->tok = T_NAME;
  } else if (strchr("+-*/%()=", *l->p)) {
    l->tok = T_OP;
    l->op = *l->p++;
  } else {
    l->tok = T_ERR;
  }
}
