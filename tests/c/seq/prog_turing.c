// Turing machines (busy beaver, binary increment), a Markov algorithm, Post tags, and Langton's ant.
#include <stdio.h>
#include <string.h>

struct rule {
  char st, rd, wr, mv, to;
};
static int run(const struct rule *r, int n, char *tape, int *pos) {
  char st = 'A';
  int steps = 0;
  while (st != 'H' && steps < 1000) {
    const struct rule *hit = NULL;
    for (int i = 0; i < n; i++)
      if (r[i].st == st && r[i].rd == tape[*pos]) hit = &r[i];
    if (!hit) return -steps;
    tape[*pos] = hit->wr;
    *pos += hit->mv;
    st = hit->to;
    steps++;
  }
  return steps;
}
static int markov(char *s, const char *const (*rules)[2], int n) {
  int steps = 0;
again:
  for (int i = 0; i < n; i++) {
    char *at = strstr(s, rules[i][0]);
    if (at && steps < 500) {
      size_t a = strlen(rules[i][0]), b = strlen(rules[i][1]);
      memmove(at + b, at + a, strlen(at + a) + 1);
      memcpy(at, rules[i][1], b);
      steps++;
      goto again;
    }
  }
  return steps;
}

int main(void) {
  static const struct rule bb4[] = {{'A', '0', '1', 1, 'B'}, {'A', '1', '1', -1, 'B'}, {'B', '0', '1', -1, 'A'}, {'B', '1', '0', -1, 'C'},
                                    {'C', '0', '1', 1, 'H'}, {'C', '1', '1', -1, 'D'}, {'D', '0', '1', 1, 'D'}, {'D', '1', '0', 1, 'A'}};
  char tape[101];
  memset(tape, '0', 100);
  tape[100] = 0;
  int pos = 50, steps = run(bb4, 8, tape, &pos), ones = 0;
  for (int i = 0; i < 100; i++) ones += tape[i] == '1';
  printf("%d %d %d\n", steps, ones, pos);
  static const struct rule inc[] = {{'A', '1', '0', -1, 'A'}, {'A', '0', '1', -1, 'H'}, {'A', ' ', '1', -1, 'H'}};
  char num[] = "   10111";
  for (int i = 0; i < 10; i++) {
    pos = 7;
    run(inc, 3, num, &pos);
  }
  printf("%s\n", num);
  static const char *const unary[][2] = {{"1", "0|"}, {"|0", "0||"}, {"0", ""}};
  char bin[256] = "10110";
  int k = markov(bin, unary, 3);
  printf("%d %zu\n", k, strlen(bin));
  static char grid[32][32];
  int x = 16, y = 16, d = 0, black = 0;
  static const signed char dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};
  for (int i = 0; i < 600; i++) {
    d = (d + (grid[y][x] ? 3 : 1)) & 3;
    grid[y][x] ^= 1;
    x = (x + dx[d]) & 31;
    y = (y + dy[d]) & 31;
  }
  for (int i = 0; i < 32 * 32; i++) black += grid[i / 32][i % 32];
  printf("%d %d %d\n", black, x, y);
  unsigned long n = 7;
  int tag = 0;
  while (n != 1) n = n & 1 ? 3 * n + 1 : n / 2, tag++;
  printf("%d\n", tag);
  return steps;
}
