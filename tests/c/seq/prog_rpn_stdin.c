// A reverse Polish calculator on standard input, with a stack, variables and error reports.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double st[16];
static int sp, errors;

static void push(double d) {
  if (sp == 16) {
    puts("stack full");
    errors++;
  } else {
    st[sp++] = d;
  }
}
static double pop(void) {
  if (sp) return st[--sp];
  puts("stack empty");
  errors++;
  return 0;
}

int main(void) {
  char w[32];
  double var[26] = {0};
  while (scanf("%31s", w) == 1) {
    char *e;
    double d = strtod(w, &e);
    if (e != w && !*e) {
      push(d);
    } else if (strlen(w) == 1 && strchr("+-*/^", *w)) {
      double b = pop(), a = pop();
      switch (*w) {
        case '+': push(a + b); break;
        case '-': push(a - b); break;
        case '*': push(a * b); break;
        case '/': if (b == 0) puts("division by zero"), errors++; else push(a / b); break;
        case '^': push(pow(a, b)); break;
      }
    } else if (!strcmp(w, "sqrt")) {
      push(sqrt(pop()));
    } else if (!strcmp(w, "dup")) {
      double a = pop();
      push(a);
      push(a);
    } else if (w[0] == '=' && islower((unsigned char)w[1])) {
      var[w[1] - 'a'] = pop();
    } else if (w[0] == '$' && islower((unsigned char)w[1])) {
      push(var[w[1] - 'a']);
    } else if (!strcmp(w, ".")) {
      printf("%.8g\n", pop());
    } else {
      printf("what is %s?\n", w);
      errors++;
    }
  }
  printf("left %d, errors %d\n", sp, errors);
  return errors;
}
