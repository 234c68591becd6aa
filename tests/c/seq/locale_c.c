// The C locale: setlocale, localeconv, character classes, collation, number formats.
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  printf("%s\n", setlocale(LC_ALL, NULL));
  printf("%s\n", setlocale(LC_ALL, "C"));
  struct lconv *l = localeconv();
  printf("[%s] [%s] [%s] %d\n", l->decimal_point, l->thousands_sep, l->currency_symbol, l->frac_digits == CHAR_MAX);
  printf("%d\n", setlocale(LC_ALL, "no_SUCH.locale") == NULL);
  printf("%d %d\n", strcoll("B", "a") < 0, strcoll("same", "same"));
  printf("%g %s\n", strtod("1,5", NULL), setlocale(LC_NUMERIC, NULL));
  return 3;
}
