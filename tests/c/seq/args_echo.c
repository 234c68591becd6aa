// Command-line arguments: count, quoting, empty ones, numbers, argv[argc] is NULL.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  printf("%d\n", argc - 1);
  long sum = 0;
  for (int i = 1; i < argc; i++) {
    printf("[%s] %zu\n", argv[i], strlen(argv[i]));
    sum += strtol(argv[i], NULL, 0);
  }
  printf("%d %ld\n", argv[argc] == NULL, sum);
  if (argc > 1) {
    argv[1][0] = 'X';
    printf("%s\n", argv[1]);
  }
  return argc;
}
