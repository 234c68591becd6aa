// Structs with bit-fields passed, returned, copied, in arrays, nested, initialised, compared field by field.
#include <stdint.h>
#include <stdio.h>

struct rgb {
  uint16_t b : 5, g : 6, r : 5;
};
struct hdr {
  uint32_t version : 4, len : 12;
  int32_t delta : 16;
  struct rgb color;
  uint64_t id : 48, kind : 16;
};
struct wide {
  unsigned long long a : 1, b : 62, c : 1;
  signed char d : 7;
};

__attribute__((noinline)) static struct rgb dim(struct rgb c, unsigned k) { return (struct rgb){c.b / k, c.g / k, c.r / k}; }
__attribute__((noinline)) static struct hdr step(struct hdr h) {
  h.len += 1000;
  h.delta = -h.delta - 1;
  h.color = dim(h.color, 2);
  h.id = h.id * 0x10001 + 1;
  h.kind ^= 0xffff;
  return h;
}
__attribute__((noinline)) static struct wide flip(struct wide w) {
  w.a = !w.a;
  w.b = ~w.b;
  w.c += 1;
  w.d = (signed char)(-w.d);
  return w;
}
static int same(struct hdr a, struct hdr b) {
  return a.version == b.version && a.len == b.len && a.delta == b.delta && a.color.r == b.color.r && a.id == b.id && a.kind == b.kind;
}

int main(void) {
  struct hdr h = {4, 3000, -7, {31, 63, 31}, 0xabcdef012345, 0x1234}, first = h;
  for (int i = 0; i < 4; i++) {
    h = step(h);
    printf("%u %u %d %u/%u/%u %lx %x\n", h.version, h.len, h.delta, h.color.r, h.color.g, h.color.b, (unsigned long)h.id, (unsigned)h.kind);
  }
  printf("%d %d\n", same(h, first), same(first, first));
  struct wide w = {1, 0x123456789abcdef, 0, -20};
  w = flip(w);
  printf("%d %lx %d %d %zu\n", (int)w.a, (unsigned long)w.b, (int)w.c, w.d, sizeof w);
  w = flip(flip(flip(w)));
  printf("%d %lx %d %d\n", (int)w.a, (unsigned long)w.b, (int)w.c, w.d);
  struct rgb line[5];
  for (unsigned i = 0; i < 5; i++) line[i] = (struct rgb){i * 7 & 31, i * 15 & 63, i * 6 & 31};
  unsigned s = 0;
  for (int i = 4; i >= 0; i--) {
    struct rgb c = dim(line[i], i % 2 + 1u);
    s = s * 64 + c.r + c.g * 2u + c.b * 3u;
  }
  printf("%u\n", s);
  struct rgb *p = &line[2];
  unsigned old = p->g++;
  p->r = p->b = p->g;
  printf("%u %u %u %u\n", old, p->g, p->b, p->r);
  return (int)(s & 0xff);
}
