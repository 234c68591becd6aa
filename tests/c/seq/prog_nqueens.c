// N queens: arrays with backtracking and bit masks; printing the first board.
#include <stdio.h>
#include <stdlib.h>

static int cols[12], n, count, tries;

static int safe(int row, int c) {
  for (int r = 0; r < row; r++)
    if (cols[r] == c || abs(cols[r] - c) == row - r) return 0;
  return 1;
}
static void place(int row) {
  if (row == n) {
    if (!count++)
      for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) putchar(cols[r] == c ? 'Q' : '.');
        putchar('\n');
      }
    return;
  }
  for (int c = 0; c < n; c++) {
    tries++;
    if (!safe(row, c)) continue;
    cols[row] = c;
    place(row + 1);
  }
}
static int bits(unsigned all, unsigned c, unsigned l, unsigned r) {
  if (c == all) return 1;
  int s = 0;
  for (unsigned free = all & ~(c | l | r), b; free; free ^= b) {
    b = free & -free;
    s += bits(all, c | b, (l | b) << 1, (r | b) >> 1);
  }
  return s;
}

int main(void) {
  for (n = 4; n <= 6; n++) {
    count = tries = 0;
    place(0);
    printf("%d: %d %d\n", n, count, tries);
  }
  for (int k = 1; k <= 8; k++) printf("%d ", bits((1u << k) - 1, 0, 0, 0));
  puts("");
  return bits(255, 0, 0, 0);
}
