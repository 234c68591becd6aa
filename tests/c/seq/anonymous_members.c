// Anonymous structs and unions, nested several deep; tagged variants.
#include <stdio.h>

enum kind { INT, PAIR, TEXT, FLT };
struct value {
  enum kind kind;
  union {
    long i;
    struct {
      int first, second;
    };
    const char *text;
    struct {
      char pad;
      union {
        float f;
        unsigned bits;
      };
    };
  };
};

static long eval(const struct value *v) {
  switch (v->kind) {
    case INT:
      return v->i;
    case PAIR:
      return v->first * 100 + v->second;
    case TEXT: {
      long n = 0;
      for (const char *p = v->text; *p; p++) n = n * 7 + *p;
      return n;
    }
    case FLT:
      return (long)(v->f * 8) + (v->bits >> 31);
  }
  return -1;
}

struct vec3 {
  union {
    struct {
      float x, y, z;
    };
    float e[3];
  };
};

int main(void) {
  struct value v[] = {{INT, {5000000000}}, {PAIR, {.first = 3, .second = 4}}, {TEXT, {.text = "abc"}}, {FLT, {.f = -2.5f}}};
  long sum = 0;
  for (int i = 0; i < 4; i++) {
    long e = eval(&v[i]);
    printf("%ld\n", e);
    sum += e;
  }
  struct vec3 a = {.x = 1, .z = 3};
  for (int i = 0; i < 3; i++) a.e[i] += (float)i * 2;
  printf("%g %g %g\n", a.x, a.y, a.z);
  v[0] = v[3];
  v[0].bits ^= 0x80000000u;
  printf("%g %ld\n", v[0].f, sum);
  return (int)(sum & 0x7f);
}
