// switch on __int128, on bool, on bit-fields, on chars; large lookup tables.
#include <stdbool.h>
#include <stdio.h>

typedef __int128 i128;
static int wide(i128 x) {
  switch (x) {
    case 0: return 1;
    case -1: return 2;
    case (i128)1 << 64: return 3;
    case ((i128)1 << 100) + 5: return 4;
  }
  return 0;
}
static int flag(bool b) {
  switch ((int)b) {
    case true: return 'T';
    case false: return 'F';
  }
  return '?';
}
struct bf {
  unsigned a : 3;
  int b : 3;
};
static int field(struct bf f) {
  switch (f.a) {
    case 0: return 10;
    case 7: return 17;
  }
  switch (f.b) {
    case -4: return 24;
    case 3: return 33;
  }
  return 0;
}
static const char *roman(int d) {
  switch (d) {
    case 1: return "I";
    case 2: return "II";
    case 3: return "III";
    case 4: return "IV";
    case 5: return "V";
    case 6: return "VI";
    case 7: return "VII";
    case 8: return "VIII";
    case 9: return "IX";
    default: return "";
  }
}
static double factor(char unit) {
  switch (unit) {
    case 'k': return 1e3;
    case 'M': return 1e6;
    case 'G': return 1e9;
    case 'm': return 1e-3;
    case 'u': return 1e-6;
    default: return 1;
  }
}
static int vowel(int c) {
  switch (c) {
    case 'a': case 'e': case 'i': case 'o': case 'u': case 'A': case 'E': case 'I': case 'O': case 'U': return 1;
    default: return 0;
  }
}

int main(void) {
  i128 v[] = {0, -1, (i128)1 << 64, ((i128)1 << 100) + 5, 5, (i128)1 << 100, 0xffffffffffffffffu};
  for (int i = 0; i < 7; i++) printf("%d", wide(v[i]));
  printf(" %c%c\n", flag(true), flag(false));
  for (unsigned i = 0; i < 8; i++) printf("%d ", field((struct bf){i, (int)i < 4 ? (int)i : (int)i - 8}));
  puts("");
  for (int i = 0; i < 11; i++) printf("%s ", roman(i));
  puts("");
  for (const char *p = "kMGmux"; *p; p++) printf("%g ", factor(*p));
  int n = 0;
  for (const char *p = "Sequential Programs Are Quite Easy"; *p; p++) n += vowel(*p);
  printf("%d\n", n);
  return n;
}
