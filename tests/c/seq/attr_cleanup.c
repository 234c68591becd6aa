// __attribute__((cleanup)): order, early return, goto, loops, nested scopes.
#include <stdio.h>
#include <stdlib.h>

static char log_[64];
static int pos;
static void note(char c) {
  if (pos < 63) log_[pos++] = c;
}
static void done(const char *c) { note(*c); }
static void drop(void *p) {
  free(*(void **)p);
  note('f');
}
static void unlock(int **p) { --**p; }

#define SCOPED __attribute__((cleanup(done))) const char

static int early(int x) {
  SCOPED a = 'a';
  if (x == 0) return a;
  SCOPED b = 'b';
  if (x == 1) return b;
  {
    SCOPED c = 'c';
    if (x == 2) goto out;
    note(c);
    note('.');
  }
  {
    SCOPED d = 'd';
    note(d);
  }
out:
  note('o');
  return 0;
}
static int loops(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    SCOPED l = (char)('0' + i);
    if (i == 1) continue;
    if (i == 4) break;
    s += l;
  }
  return s;
}
static int nested(int *lock) {
  int *l __attribute__((cleanup(unlock))) = lock;
  ++*l;
  void *mem __attribute__((cleanup(drop))) = malloc(10);
  return *l * 10 + (mem != NULL);
}

int main(void) {
  for (int i = 0; i < 4; i++) {
    early(i);
    note('|');
  }
  int s = loops(8);
  int lock = 0;
  int r = nested(&lock) + nested(&lock);
  puts(log_);
  printf("%d %d %d\n", s, r, lock);
  return r;
}
