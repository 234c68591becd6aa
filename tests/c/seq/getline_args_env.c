// main with three parameters; environ is usable; arguments and standard input together.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[], char *envp[]) {
  printf("%d %d %d\n", argc, argv[argc] == NULL, envp == environ);
  setenv("THREADBARE_X", "42", 1);
  int found = 0;
  for (char **e = environ; *e; e++) found += !strcmp(*e, "THREADBARE_X=42");
  printf("%d %s\n", found, getenv("THREADBARE_X"));
  static char put[] = "THREADBARE_Y=put";
  putenv(put);
  printf("%s\n", getenv("THREADBARE_Y"));
  char *line = NULL;
  size_t cap = 0;
  long sum = 0;
  while (getline(&line, &cap, stdin) > 0) {
    for (int i = 1; i < argc; i++)
      if (strstr(line, argv[i])) {
        printf("%s: %s", argv[i], line);
        sum += i;
      }
  }
  free(line);
  return (int)sum;
}
