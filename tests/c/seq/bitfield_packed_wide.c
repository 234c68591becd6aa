// Packed structs whose bit-fields together take more than 128 bits: clang loads and stores all of them as one integer
// (i144, i176, i200 …). Regression: csmith --packed-struct --bitfields programs were refused because of such integers.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma pack(push, 1)
// 32 bits, then 144 in one integer.
struct U {
  unsigned a : 31;
  unsigned b : 1;
  unsigned c : 29;
  unsigned d : 17;
  unsigned e : 30;
  unsigned f : 5;
  unsigned g : 28;
  unsigned h : 32;
  unsigned i : 3;
};
// 200 bits, signed; fields straddle the words.
struct S {
  int a : 7;
  int b : 31;
  long long c : 55;
  int d : 1;
  int e : 22;
  long long f : 63;
  int g : 21;
};
// 300 bits, in several integers.
struct L {
  uint64_t a : 61;
  int64_t b : 59;
  uint64_t c : 60;
  int64_t d : 62;
  uint64_t e : 58;
};
struct N {
  char tag;
  struct U u;
  const volatile struct S *p;
  struct S s[3];
  short last;
};
#pragma pack(pop)

static uint64_t sum = 1469598103934665603u;

static void add(long long v) {
  sum = (sum ^ (uint64_t)v) * 1099511628211u;
}

static uint32_t state = 12345;

static uint32_t rnd(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 3 ^ state << 17;
}

static uint64_t rnd64(void) {
  uint64_t high = rnd();
  return high << 32 ^ rnd();
}

static struct U gu = {1, 0, 3, 4, 5, 6, 7, 8, 1};
static volatile struct S gs = {-1, 2, -3, -1, 5, -6, 7};
static struct L gl[2] = {{1, -2, 3, -4, 5}, {.d = -1}};
static volatile struct U vu[3];
static struct N gn = {'x', {1, 1, 1, 1, 1, 1, 1, 1, 1}, &gs, {{-1, -1, -1, -1, -1, -1, -1}, {1, 1, 1, 0, 1, 1, 1}}, 7};

#define SUM_U(x) (add((x).a), add((x).b), add((x).c), add((x).d), add((x).e), add((x).f), add((x).g), add((x).h), add((x).i))
#define SUM_S(x) (add((x).a), add((x).b), add((x).c), add((x).d), add((x).e), add((x).f), add((x).g))
#define SUM_L(x) (add((x).a), add((x).b), add((x).c), add((x).d), add((x).e))
#define SET_U(x) \
  ((x).a = rnd(), (x).b = rnd(), (x).c = rnd(), (x).d = rnd(), (x).e = rnd(), (x).f = rnd(), (x).g = rnd(), \
   (x).h = rnd(), (x).i = rnd())
#define SET_S(x) \
  ((x).a = rnd(), (x).b = rnd(), (x).c = rnd64(), (x).d = rnd(), (x).e = rnd(), (x).f = rnd64(), (x).g = rnd())
#define SET_L(x) ((x).a = rnd64(), (x).b = rnd64(), (x).c = rnd64(), (x).d = rnd64(), (x).e = rnd64())

static struct U rotate(struct U x, int by) {
  struct U y = x;
  for (int k = 0; k < by; k++) {
    y.a = x.h, y.b = x.a, y.c = x.b + x.g, y.d = x.c, y.e = x.d, y.f = x.e, y.g = x.f, y.h = x.i, y.i = x.a >> 5;
    x = y;
  }
  return y;
}

static struct S negate(struct S x) {
  x.a = -x.a, x.b = ~x.b, x.c = -x.c, x.d = ~x.d, x.e -= 3, x.f = -x.f, x.g ^= 0x155;
  return x;
}

static int order(const struct S *x, const struct S *y) {
  if (x->c != y->c)
    return x->c < y->c ? -1 : 1;
  if (x->f != y->f)
    return x->f < y->f ? -1 : 1;
  return x->g == y->g && x->b <= y->b && x->d > y->d;
}

static int flags(const struct U *x) {
  int n = 0;
  n += x->b && x->i == 7;
  n += x->h == 0xffffffffu;
  n += x->f == 3 || x->f == 9;
  n += (x->e == 0) == (x->g == 0);
  n += x->d > x->c ? 100 : 10;
  return n;
}

static void bytes(const void *p, size_t n) {
  const unsigned char *at = p;
  for (size_t k = 0; k < n; k++)
    add(at[k]);
}

int main(void) {
  printf("%zu %zu %zu %zu\n", sizeof(struct U), sizeof(struct S), sizeof(struct L), sizeof(struct N));
  SUM_U(gu), SUM_S(gs), SUM_L(gl[0]), SUM_L(gl[1]), SUM_U(gn.u), SUM_S(gn.s[0]), SUM_S(gn.s[1]), SUM_S(*gn.p);
  bytes(&gu, sizeof gu), bytes(gl, sizeof gl), bytes(gn.s, sizeof gn.s);
  printf("initial %016llx\n", (unsigned long long)sum);

  for (int k = 0; k < 50; k++) {
    SET_U(gu), SET_S(gs), SET_L(gl[k & 1]);
    SUM_U(gu), SUM_S(gs), SUM_L(gl[0]), SUM_L(gl[1]);
    add(flags(&gu));
  }
  printf("globals %016llx\n", (unsigned long long)sum);

  for (int k = 0; k < 30; k++) {
    volatile struct U *v = &vu[k % 3];
    v->a = k, v->b ^= 1, v->c += v->a, v->d -= 5, v->e |= v->c << 3, v->f++, v->g = ~v->g, v->h = v->h * 3 + 1, v->i--;
    SUM_U(vu[0]), SUM_U(vu[1]), SUM_U(vu[2]);
  }
  printf("volatile %016llx\n", (unsigned long long)sum);

  struct S list[6];
  memset(list, 0, sizeof list);
  for (int k = 0; k < 6; k++) {
    SET_S(list[k]);
    list[k].c = k / 2 - 1;
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      add(order(&list[i], &list[j]));
  for (int k = 0; k < 6; k++) {
    struct S s = negate(negate(list[5 - k]));
    gn.s[k % 3] = s;
    list[k] = negate(gn.s[(k + 1) % 3]);
    SUM_S(s), SUM_S(list[k]);
  }
  bytes(list, sizeof list);
  printf("list %016llx\n", (unsigned long long)sum);

  for (int k = 0; k < 8; k++) {
    gn.u = rotate(k & 1 ? gu : gn.u, k);
    gn.u.h += k, gn.s[k % 3].f++, gn.s[k % 3].a--, gn.last++;
    SUM_U(gn.u), SUM_S(gn.s[k % 3]);
  }
  bytes(&gn.u, sizeof gn.u), bytes(gn.s, sizeof gn.s);
  add(gn.tag), add(gn.last);
  printf("nested %016llx\n", (unsigned long long)sum);

  // Only some of the fields are set: the others stay undefined beside them.
  struct L part;
  part.b = -5, part.d = 1LL << 60;
  part.b *= 3;
  printf("%lld %lld\n", (long long)part.b, (long long)part.d);
  return 0;
}
