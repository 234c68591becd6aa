// Computed goto: label tables, a threaded interpreter, label differences.
#include <stdio.h>

enum { PUSH, ADD, MUL, SUB, DUP, SWAP, JNZ, PRINT, HALT };

static long run(const int *code) {
  static const void *const ops[] = {&&push, &&add, &&mul, &&sub, &&dup, &&swap, &&jnz, &&print, &&halt};
  long st[32], *sp = st, t;
  const int *pc = code;
#define NEXT goto *ops[*pc++]
  NEXT;
push:
  *sp++ = *pc++;
  NEXT;
add:
  sp--;
  sp[-1] += sp[0];
  NEXT;
mul:
  sp--;
  sp[-1] *= sp[0];
  NEXT;
sub:
  sp--;
  sp[-1] -= sp[0];
  NEXT;
dup:
  *sp = sp[-1];
  sp++;
  NEXT;
swap:
  t = sp[-1];
  sp[-1] = sp[-2];
  sp[-2] = t;
  NEXT;
jnz:
  t = *--sp;
  if (t)
    pc = code + *pc;
  else
    pc++;
  NEXT;
print:
  printf("%ld ", sp[-1]);
  NEXT;
halt:
  puts("");
  return sp[-1];
}

static int offsets(int n) {
  static const int table[] = {&&a - &&a, &&b - &&a, &&c - &&a};
  int r = 1;
  for (int i = 0; i < n; i++) {
    goto *(&&a + table[i % 3]);
  a:
    r += 1;
    continue;
  b:
    r *= 2;
    continue;
  c:
    r -= 3;
  }
  return r;
}
static int state(const char *s) {
  void *st = &&start;
  int words = 0;
  for (; *s; s++) {
    goto *st;
  start:
    if (*s != ' ') {
      words++;
      st = &&word;
    }
    continue;
  word:
    if (*s == ' ') st = &&start;
  }
  return words;
}

int main(void) {
  // counts down from 10 with the product on the stack: computes 10!
  int fact[] = {PUSH, 1, PUSH, 10, DUP, PRINT, JNZ, 10, HALT, 0, DUP, PUSH, -1, ADD, JNZ, 18, SUB, HALT,
                HALT};
  long r = run(fact);
  int prog[] = {PUSH, 1,    PUSH, 10,                       // acc n
                SWAP, PUSH, 3,    MUL, PUSH, 7,   ADD, SWAP, // acc = acc*3+7
                PUSH, 1,    SUB,  DUP, PRINT, JNZ, 4,
                SWAP, PRINT, HALT};
  r += run(prog);
  printf("%ld %d %d\n", r, offsets(10), state("  several words  in a row "));
  return (int)(r % 256);
}
