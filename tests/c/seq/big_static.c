// Large static data: a megabyte of zeros touched sparsely, large initialised tables, two-dimensional statics.
#include <stdint.h>
#include <stdio.h>

static uint8_t sea[1 << 20];
static uint32_t grid[256][256];
static const uint16_t powers[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
static int table[2000] = {[0] = 1, [999] = 2, [1999] = 3};
static struct {
  char name[32];
  double values[64];
} records[50] = {[7] = {"seven", {[3] = 0.5}}, [49] = {"last", {1, 2, 3}}};

int main(void) {
  for (uint32_t i = 1, k = 0; k < 200; k++) {
    i = i * 1664525u + 1013904223u;
    sea[i >> 12] += (uint8_t)(k + 1);
  }
  unsigned sum = 0, used = 0;
  for (uint32_t i = 1, k = 0; k < 200; k++) {
    i = i * 1664525u + 1013904223u;
    used += sea[i >> 12] != 0;
    sum = sum * 31 + sea[i >> 12];
  }
  printf("%u %u %d\n", used, sum, sea[(1 << 20) - 1]);
  for (int i = 0; i < 256; i += 17)
    for (int j = 0; j < 256; j += 13) grid[i][j] = (uint32_t)(i * j);
  uint64_t g = 0;
  for (int j = 0; j < 256; j += 13)
    for (int i = 0; i < 256; i += 17) g = g * 7 + grid[i][j];
  printf("%016lx\n", g);
  int t = 0;
  for (int i = 0; i < 2000; i += 37) t += table[i] + powers[i % 16];
  printf("%d %d %d\n", t, table[999], table[1999]);
  printf("%s %g %s %g [%s]\n", records[7].name, records[7].values[3], records[49].name, records[49].values[2], records[8].name);
  return (int)(used & 0xff);
}
