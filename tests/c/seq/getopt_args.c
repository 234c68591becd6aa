// getopt and getopt_long on the command line, clustering, optional arguments, --.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  static const struct option longs[] = {{"verbose", no_argument, NULL, 'v'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"level", optional_argument, NULL, 1000},
                                        {NULL, 0, NULL, 0}};
  int c, verbose = 0, sum = 0;
  opterr = 0;
  while ((c = getopt_long(argc, argv, "vo:n:x", longs, NULL)) != -1) {
    switch (c) {
      case 'v': verbose++; break;
      case 'o': printf("output %s\n", optarg); break;
      case 'n': sum += atoi(optarg); break;
      case 'x': puts("x"); break;
      case 1000: printf("level %s\n", optarg ? optarg : "none"); break;
      case '?': printf("unknown %c\n", optopt ? optopt : '-'); break;
    }
  }
  printf("%d %d\n", verbose, sum);
  for (int i = optind; i < argc; i++) printf("rest %s\n", argv[i]);
  char *own[] = {"prog", "-ab", "val", "-c", "file", NULL};
  optind = 0;
  while ((c = getopt(5, own, "+ab:c")) != -1) printf("%c%s ", c, c == 'b' ? optarg : "");
  printf("%d\n", optind);
  return verbose * 10 + sum % 10;
}
