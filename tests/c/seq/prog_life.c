// Game of life on a torus, a bit-parallel version of it, and rule 110.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { W = 32, H = 12 };
static unsigned char a[H][W], b[H][W];
static uint32_t bits[H];

static void step(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int n = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          if (dx || dy) n += a[(y + dy + H) % H][(x + dx + W) % W];
      b[y][x] = n == 3 || (n == 2 && a[y][x]);
    }
  memcpy(a, b, sizeof a);
}
static uint32_t rol(uint32_t v) { return v << 1 | v >> 31; }
static uint32_t ror(uint32_t v) { return v >> 1 | v << 31; }
static void bit_step(void) {
  uint32_t out[H];
  for (int y = 0; y < H; y++) {
    uint32_t up = bits[(y + H - 1) % H], me = bits[y], dn = bits[(y + 1) % H];
    uint32_t n[8] = {rol(up), up, ror(up), rol(me), ror(me), rol(dn), dn, ror(dn)};
    uint32_t one = 0, two = 0, four = 0;
    for (int i = 0; i < 8; i++) {
      uint32_t c1 = one & n[i];
      one ^= n[i];
      uint32_t c2 = two & c1;
      two ^= c1;
      four |= c2;
    }
    out[y] = ~four & two & (one | me);
  }
  memcpy(bits, out, sizeof bits);
}

int main(void) {
  const char *glider[] = {".#.", "..#", "###"};
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++) a[y + 1][x + 1] = a[y + 5][31 - x] = glider[y][x] == '#';
  for (int x = 10; x < 20; x++) a[8][x] = 1;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) bits[y] |= (uint32_t)a[y][x] << x;
  int same = 1;
  for (int t = 0; t < 10; t++) {
    step();
    bit_step();
    int pop = 0;
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        pop += a[y][x];
        same &= (bits[y] >> x & 1) == a[y][x];
      }
    printf("%d ", pop);
  }
  printf("%s\n", same ? "same" : "differ");
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) putchar(a[y][x] ? '#' : '.');
    putchar('\n');
  }
  uint64_t c = 1;
  for (int t = 0; t < 8; t++) {
    for (int i = 15; i >= 0; i--) putchar(c >> i & 1 ? '*' : ' ');
    puts("|");
    c = (c | c << 1) & ~(c & c << 1 & c >> 1);
  }
  return same ? 17 : 18;
}
