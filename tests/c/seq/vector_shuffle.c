// __builtin_shufflevector, casts between vector types, horizontal reductions, loads and stores.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int32_t v4i __attribute__((vector_size(16)));
typedef int32_t v8i __attribute__((vector_size(32)));
typedef int32_t v2i __attribute__((vector_size(8)));
typedef uint8_t v16b __attribute__((vector_size(16)));
typedef uint8_t v8b __attribute__((vector_size(8)));
typedef uint16_t v8h __attribute__((vector_size(16)));
typedef uint64_t v2l __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef float e3 __attribute__((ext_vector_type(3)));
typedef float e4 __attribute__((ext_vector_type(4)));

static void show(v4i v) { printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]); }
static int hsum(v4i v) {
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
  v += __builtin_shufflevector(v, v, 1, 0, 3, 2);
  return v[0];
}

int main(void) {
  volatile int one = 1;
  v4i a = {one, 2, 3, 4}, b = {5, 6, 7, 8};
  show(__builtin_shufflevector(a, b, 3, 2, 1, 0));
  show(__builtin_shufflevector(a, b, 0, 4, 1, 5));
  show(__builtin_shufflevector(a, b, 7, 7, 0, 0));
  v8i w = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  v2i n = __builtin_shufflevector(w, w, 6, 1);
  printf("%d %d %d %d\n", w[0] + w[7], n[0], n[1], hsum(a * b));
  v16b bytes;
  for (int i = 0; i < 16; i++) bytes[i] = (uint8_t)(i * 17 + one);
  v16b rev = __builtin_shufflevector(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  v2l q = (v2l)rev;
  printf("%016lx %016lx\n", q[0], q[1]);
  v8h h = (v8h)bytes;
  h = (h << 8) | (h >> 8);
  q = (v2l)h;
  printf("%016lx %016lx\n", q[0], q[1]);
  v8b low = __builtin_shufflevector(bytes, bytes, 0, 2, 4, 6, 8, 10, 12, 14);
  v8h wide = __builtin_convertvector(low, v8h);
  wide *= wide;
  low = __builtin_convertvector(wide >> 4, v8b);
  unsigned s = 0;
  for (int i = 0; i < 8; i++) s = s * 31 + wide[i] + low[i];
  printf("%u\n", s);
  int32_t mem[12];
  for (int i = 0; i < 12; i++) mem[i] = i * i;
  v4i u;
  memcpy(&u, mem + 3, sizeof u);
  memcpy(mem + 1, &u, sizeof u);
  show(u);
  printf("%d %d\n", mem[1], mem[4]);
  v4i *pv = &a;
  (*pv)[3] = -1;
  show(*pv);
  e4 v = {1, 2, 3, 4};
  e3 xyz = v.zyx;
  v.xw = v.wx;
  printf("%g %g %g | %g %g\n", xyz.x, xyz.y, xyz.z, v.x, v.w);
  v4f m[4] = {{1, 0, 0, 5}, {0, 2, 0, 6}, {0, 0, 3, 7}, {0, 0, 0, 1}};
  v4f p = {1, 2, 3, 1}, o = {};
  for (int i = 0; i < 4; i++) {
    v4f t = m[i] * p;
    o[i] = t[0] + t[1] + t[2] + t[3];
  }
  printf("%g %g %g %g\n", o[0], o[1], o[2], o[3]);
  printf("%d %d %d\n", __builtin_reduce_add(b), __builtin_reduce_max(b), __builtin_reduce_xor(b));
  v4i mx = __builtin_elementwise_max(a, b - 4), ab = __builtin_elementwise_abs(a);
  show(mx);
  show(ab);
  return hsum(b);
}
