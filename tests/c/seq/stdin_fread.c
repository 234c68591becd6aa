// Reading all of stdin with fread in blocks, then a histogram and a run-length coding.
#include <stdio.h>

int main(void) {
  unsigned char buf[64];
  static unsigned char all[4096];
  size_t n, total = 0;
  int blocks = 0;
  while ((n = fread(buf, 1, sizeof buf, stdin)) > 0) {
    for (size_t i = 0; i < n && total < sizeof all; i++) all[total++] = buf[i];
    blocks++;
  }
  int hist[256] = {0};
  for (size_t i = 0; i < total; i++) hist[all[i]]++;
  printf("%zu bytes in %d blocks\n", total, blocks);
  for (int c = 0; c < 256; c++)
    if (hist[c] > 3) printf("%02x:%d ", (unsigned)c, hist[c]);
  puts("");
  for (size_t i = 0; i < total;) {
    size_t j = i;
    while (j < total && all[j] == all[i]) j++;
    if (j - i > 2) printf("%zux%02x ", j - i, all[i]);
    i = j;
  }
  puts("");
  return blocks;
}
