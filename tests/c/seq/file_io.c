// File input and output on a temporary file and on memory streams: seek, tell, rewind, modes.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  FILE *f = tmpfile();
  if (!f) {
    puts("no tmpfile");
    return 1;
  }
  for (int i = 0; i < 100; i++) fprintf(f, "line %03d\n", i);
  printf("%ld\n", ftell(f));
  rewind(f);
  char b[32];
  int n = 0;
  while (fgets(b, sizeof b, f)) n++;
  printf("%d %d\n", n, feof(f) != 0);
  fseek(f, 9 * 50, SEEK_SET);
  printf("%s", fgets(b, sizeof b, f));
  fseek(f, -9, SEEK_END);
  printf("%s", fgets(b, sizeof b, f));
  fseek(f, 9, SEEK_SET);
  fputs("LINE", f);
  fseek(f, 0, SEEK_CUR);
  int c = fgetc(f);
  printf("%d %ld\n", c, ftell(f));
  ungetc('#', f);
  printf("%c", getc(f));
  printf("%c\n", getc(f));
  fpos_t pos;
  fgetpos(f, &pos);
  if (!fgets(b, sizeof b, f)) return 2;
  fsetpos(f, &pos);
  char again[32];
  if (!fgets(again, sizeof again, f)) return 2;
  printf("%d\n", strcmp(b, again));
  fclose(f);
  char *mem = NULL;
  size_t len = 0;
  f = open_memstream(&mem, &len);
  if (!f) return 1;
  for (int i = 0; i < 10; i++) fprintf(f, "%d,", i * i);
  fclose(f);
  printf("%zu %s\n", len, mem);
  f = fmemopen(mem, len, "r");
  int v, sum = 0;
  while (fscanf(f, "%d,", &v) == 1) sum += v;
  fclose(f);
  free(mem);
  printf("%d\n", sum);
  f = fopen("/nonexistent/dir/file", "r");
  printf("%d\n", f == NULL);
  return sum & 0xff;
}
