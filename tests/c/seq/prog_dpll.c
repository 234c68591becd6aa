// SAT solver (DPLL with unit propagation) on pigeonhole and random instances.
#include <stdio.h>
#include <string.h>

enum { MAXV = 24, MAXC = 120 };
static signed char clause[MAXC][4];
static int nc, nv, decisions, props;

static void add(int a, int b, int c) {
  clause[nc][0] = (signed char)a;
  clause[nc][1] = (signed char)b;
  clause[nc][2] = (signed char)c;
  nc++;
}
static int value(const signed char *as, int lit) {
  int v = as[lit > 0 ? lit : -lit];
  return lit > 0 ? v : -v;
}
static int propagate(signed char *as) {
  for (int again = 1; again;) {
    again = 0;
    for (int i = 0; i < nc; i++) {
      int free_lit = 0, n = 0, sat = 0;
      for (int k = 0; k < 3 && clause[i][k]; k++) {
        int v = value(as, clause[i][k]);
        if (v > 0) sat = 1;
        if (v == 0) free_lit = clause[i][k], n++;
      }
      if (sat) continue;
      if (n == 0) return 0;
      if (n == 1) {
        as[free_lit > 0 ? free_lit : -free_lit] = free_lit > 0 ? 1 : -1;
        props++;
        again = 1;
      }
    }
  }
  return 1;
}
static int solve(signed char *as) {
  if (!propagate(as)) return 0;
  int v = 1;
  while (v <= nv && as[v]) v++;
  if (v > nv) return 1;
  decisions++;
  for (int s = 1; s >= -1; s -= 2) {
    signed char copy[MAXV + 1];
    memcpy(copy, as, sizeof copy);
    copy[v] = (signed char)s;
    if (solve(copy)) {
      memcpy(as, copy, sizeof copy);
      return 1;
    }
  }
  return 0;
}
static int run(const char *name) {
  signed char as[MAXV + 1] = {0};
  decisions = props = 0;
  int sat = solve(as);
  printf("%s: %s %d decisions %d propagations ", name, sat ? "sat" : "unsat", decisions, props);
  if (sat)
    for (int i = 1; i <= nv; i++) putchar(as[i] > 0 ? '1' : '0');
  puts("");
  for (int i = 0; sat && i < nc; i++) {
    int ok = 0;
    for (int k = 0; k < 3; k++) ok |= clause[i][k] && value(as, clause[i][k]) > 0;
    if (!ok) return -1;
  }
  return sat;
}

int main(void) {
  int total = 0;
  nv = 6;  // three pigeons, two holes
  for (int p = 0; p < 3; p++) {
    add(p * 2 + 1, p * 2 + 2, 0);
    for (int q = 0; q < p; q++)
      for (int h = 1; h <= 2; h++) add(-(p * 2 + h), -(q * 2 + h), 0);
  }
  total += run("pigeons");
  unsigned s = 12;
  for (int inst = 0; inst < 4; inst++) {
    nv = 15;
    nc = 0;
    memset(clause, 0, sizeof clause);
    for (int i = 0; i < 50 + inst * 10; i++) {
      int l[3];
      for (int k = 0; k < 3; k++) {
        s = s * 1103515245u + 12345u;
        l[k] = (int)(s >> 16) % nv + 1;
        if (s >> 8 & 1) l[k] = -l[k];
      }
      add(l[0], l[1], l[2]);
    }
    total += run("random");
  }
  return total + 10;
}
