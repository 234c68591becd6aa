// Sudoku solver with bit masks and the fewest-candidates rule.
#include <stdio.h>

static unsigned short row[9], col[9], box[9];
static char g[82];
static int nodes;

static int box_of(int i) { return i / 27 * 3 + i % 9 / 3; }
static void flip(int i, int d) {
  unsigned short m = (unsigned short)(1u << d);
  row[i / 9] ^= m;
  col[i % 9] ^= m;
  box[box_of(i)] ^= m;
}
static int solve(void) {
  nodes++;
  int best = -1, fewest = 10;
  unsigned cand = 0;
  for (int i = 0; i < 81; i++) {
    if (g[i] != '.') continue;
    unsigned m = ~(unsigned)(row[i / 9] | col[i % 9] | box[box_of(i)]) & 0x3feu;
    int k = __builtin_popcount(m);
    if (k < fewest) {
      fewest = k;
      best = i;
      cand = m;
    }
  }
  if (best < 0) return 1;
  for (; cand; cand &= cand - 1) {
    int d = __builtin_ctz(cand);
    g[best] = (char)('0' + d);
    flip(best, d);
    if (solve()) return 1;
    flip(best, d);
  }
  g[best] = '.';
  return 0;
}

int main(void) {
  // One grid made by a shifting pattern, with most cells taken out.
  int k = 0;
  for (int r = 0; r < 9; r++)
    for (int c = 0; c < 9; c++, k++) g[k] = (char)('1' + (r * 3 + r / 3 + c) % 9);
  unsigned s = 11;
  for (int i = 0; i < 53; i++) {
    s = s * 1103515245u + 12345u;
    g[(s >> 16) % 81] = '.';
  }
  int clues = 0;
  for (int i = 0; i < 81; i++)
    if (g[i] != '.') {
      flip(i, g[i] - '0');
      clues++;
    }
  int ok = solve();
  printf("clues %d solved %d nodes %d\n", clues, ok, nodes);
  for (int r = 0; r < 9; r++) printf("%.9s\n", g + r * 9);
  int good = 1;
  for (int i = 0; i < 9; i++) good &= row[i] == 0x3fe && col[i] == 0x3fe && box[i] == 0x3fe;
  printf("%d\n", good);
  return nodes & 0xff;
}
