// Enumerations: values, negative, 64-bit (GNU), packed, as flags, as array indices, in switch.
#include <stdio.h>

enum plain { A, B, C = 10, D, E = C * 2 };
enum negative { LOW = -5, NEXT, ZERO = 0 };
enum __attribute__((packed)) small { S1, S2 = 200 };
enum flags { READ = 1 << 0, WRITE = 1 << 1, EXEC = 1 << 2, ALL = READ | WRITE | EXEC };
enum { ANON = 42, COUNT = 3 };
typedef enum { MON, TUE, WED, DAYS } day;

static const char *const names[DAYS] = {[MON] = "mon", [TUE] = "tue", [WED] = "wed"};
static day next(day d) { return (day)((d + 1) % DAYS); }
static const char *perms(enum flags f, char *out) {
  char *p = out;
  *p++ = f & READ ? 'r' : '-';
  *p++ = f & WRITE ? 'w' : '-';
  *p++ = f & EXEC ? 'x' : '-';
  *p = 0;
  return out;
}

int main(void) {
  printf("%d %d %d %d %d\n", A, B, C, D, E);
  printf("%d %d %d\n", LOW, NEXT, ZERO);
  printf("%zu %zu %zu\n", sizeof(enum plain), sizeof(enum small), sizeof(enum negative));
  enum small s = S2;
  enum negative n = LOW;
  printf("%d %d %d\n", s, n < 0, (enum plain)3);
  char b[4];
  for (int f = 0; f <= ALL; f++) printf("%s ", perms((enum flags)f, b));
  puts("");
  day d = TUE;
  for (int i = 0; i < 4; i++, d = next(d)) printf("%s ", names[d]);
  puts("");
  enum flags f = (enum flags)(READ | EXEC);
  f = (enum flags)(f & ~(unsigned)READ);
  f = (enum flags)(f | WRITE);
  printf("%d %s\n", f, perms(f, b));
  int arr[COUNT] = {ANON, ANON + 1};
  enum { LOCAL = ANON * 2 };
  printf("%d %d %zu\n", arr[1], LOCAL, sizeof arr);
  struct {
    enum plain p;
    enum small q;
  } st = {D, S1};
  printf("%d %d\n", st.p, st.q);
  return E;
}
