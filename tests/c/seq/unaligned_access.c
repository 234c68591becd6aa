// Unaligned data through memcpy and packed structs at every offset; strings at every offset.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) rec {
  uint8_t t;
  uint16_t h;
  uint32_t w;
  uint64_t q;
  float f;
  double d;
  long double l;
};
static uint64_t ld64(const void *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}
static void st32(void *p, uint32_t v) { memcpy(p, &v, 4); }

int main(void) {
  unsigned char buf[80];
  for (int i = 0; i < 80; i++) buf[i] = (unsigned char)(i * 29 + 3);
  uint64_t h = 0;
  for (int o = 0; o < 16; o++) {
    uint16_t a;
    uint32_t b;
    unsigned __int128 c;
    double d;
    memcpy(&a, buf + o, 2);
    memcpy(&b, buf + o, 4);
    memcpy(&c, buf + o, 16);
    memcpy(&d, buf + o, 8);
    h = h * 31 + a + b + ld64(buf + o) + (uint64_t)(c >> 64) + (d > 0);
  }
  printf("%016lx\n", h);
  for (int o = 0; o < 8; o++) st32(buf + o * 5, (uint32_t)o * 0x01020304u);
  h = 0;
  for (int i = 0; i < 80; i++) h = h * 33 + buf[i];
  printf("%016lx\n", h);
  char raw[3 * sizeof(struct rec) + 4];
  memset(raw, 0, sizeof raw);
  for (int o = 0; o < 4; o++) {
    struct rec r = {(uint8_t)o, 0x1234, 0xdeadbeef, 1ull << (40 + o), 1.5f, -2.25, 3.5L};
    memcpy(raw + o, &r, sizeof r);
    struct rec *p = (struct rec *)(raw + o);
    p->w += (uint32_t)o;
    p->d *= o;
    p->l += p->f;
    printf("%d %x %x %lx %g %g %Lg\n", p->t, p->h, p->w, p->q, p->f, p->d, p->l);
  }
  char text[64] = "", *dst = text + 32;
  int bad = 0;
  for (int o = 0; o < 16; o++)
    for (int n = 0; n < 12; n++) {
      memset(text, 'x', 32);
      memset(text + o, 'a' + n, (size_t)n);
      text[o + n] = 0;
      bad += strlen(text + o) != (size_t)n;
      strcpy(dst + (o + n) % 8, text + o);
      bad += strcmp(dst + (o + n) % 8, text + o) != 0;
      bad += strchr(text + o, 0) != text + o + n;
    }
  printf("%d %zu\n", bad, sizeof(struct rec));
  return bad + (int)sizeof(struct rec);
}
