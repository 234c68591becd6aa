// packed and aligned attributes, _Alignas, _Alignof, unaligned member access.
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) wire {
  uint8_t tag;
  uint32_t len;
  uint64_t id;
  double val;
  uint16_t crc;
};
struct part {
  char c;
  int i __attribute__((packed));
  long l;
};
struct __attribute__((aligned(32))) cell {
  int v;
};
struct over {
  char c;
  alignas(16) char d[3];
  _Alignas(double) char e;
};
struct __attribute__((packed, aligned(4))) pa {
  char c;
  short s;
  int i;
};
static alignas(64) char buffer[10];
typedef int aligned_int __attribute__((aligned(16)));

int main(void) {
  printf("%zu %zu %zu %zu %zu\n", sizeof(struct wire), offsetof(struct wire, len), offsetof(struct wire, id),
         offsetof(struct wire, val), offsetof(struct wire, crc));
  printf("%zu %zu %zu\n", sizeof(struct part), offsetof(struct part, i), offsetof(struct part, l));
  printf("%zu %zu\n", sizeof(struct cell), alignof(struct cell));
  printf("%zu %zu %zu\n", sizeof(struct over), offsetof(struct over, d), offsetof(struct over, e));
  printf("%zu %zu %zu\n", sizeof(struct pa), alignof(struct pa), offsetof(struct pa, i));
  struct wire w[3];
  for (int i = 0; i < 3; i++) w[i] = (struct wire){(uint8_t)i, 0x11223344u * (unsigned)i, 1ull << (i * 20), i * 1.5, (uint16_t)(i * 999)};
  w[1].len += 5;
  w[2].id ^= w[1].id;
  w[2].val *= -3;
  w[0].crc--;
  uint8_t raw[sizeof w];
  memcpy(raw, w, sizeof w);
  unsigned h = 0;
  for (size_t i = 0; i < sizeof w; i++) h = h * 33 + raw[i];
  printf("%u %u %lu %g %u\n", h, w[1].len, w[2].id, w[2].val, w[0].crc);
  struct cell cells[3] = {{1}, {2}, {3}};
  printf("%d %d\n", (int)((uintptr_t)&cells[1] % 32), (int)((char *)&cells[2] - (char *)&cells[0]));
  printf("%d\n", (int)((uintptr_t)buffer % 64));
  aligned_int ai = 5;
  alignas(128) struct over o = {'x', "ab", 'y'};
  printf("%d %d %d %c\n", (int)((uintptr_t)&ai % 16), (int)((uintptr_t)&o % 128), ai, o.e);
  printf("%zu %zu %zu\n", alignof(long double), alignof(max_align_t), alignof(char[7]));
  struct wire *p = &w[1], copy = *p;
  printf("%d\n", copy.len == p->len && copy.val == p->val);
  buffer[0] = 1;
  return (int)sizeof(struct wire) + buffer[0];
}
