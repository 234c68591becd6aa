// A calculator in four files, reading lines from standard input.
#include "calc.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  char line[128];
  int errors = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    const char *error = NULL;
    struct node *n = parse(line, &error);
    if (!n) {
      printf("%s: %s\n", line, error);
      errors++;
      continue;
    }
    int fault = 0;
    long v = eval(n, &fault);
    dump(n);
    if (fault) puts(" = division by zero");
    else printf(" = %ld\n", v);
    node_free(n);
  }
  printf("%d nodes\n", node_count);
  return errors;
}
