// Shifts: every amount, every width, logical and arithmetic, rotate idioms.
#include <stdint.h>
#include <stdio.h>

static uint8_t rol8(uint8_t x, unsigned n) { return (uint8_t)((x << (n & 7)) | (x >> (-n & 7))); }
static uint16_t rol16(uint16_t x, unsigned n) { return (uint16_t)((x << (n & 15)) | (x >> (-n & 15))); }
static uint32_t rol32(uint32_t x, unsigned n) { return (x << (n & 31)) | (x >> (-n & 31)); }
static uint64_t rol64(uint64_t x, unsigned n) { return (x << (n & 63)) | (x >> (-n & 63)); }
static uint64_t ror64(uint64_t x, unsigned n) { return (x >> (n & 63)) | (x << (-n & 63)); }

int main(void) {
  volatile uint64_t u = 0x8123456789abcdefu;
  volatile int64_t s = (int64_t)0x8123456789abcdefu;
  volatile uint32_t u32 = 0x9e3779b9u;
  volatile int32_t s32 = (int32_t)0x9e3779b9u;
  uint64_t a = 0, b = 0, c = 0;
  for (int n = 0; n < 64; n++) {
    a = a * 3 + (u << n);
    b = b * 5 + (u >> n);
    c = c * 7 + (uint64_t)(s >> n);
  }
  printf("%016lx %016lx %016lx\n", a, b, c);
  uint32_t d = 0, e = 0;
  for (int n = 0; n < 32; n++) {
    d = d * 3 + (u32 << n) + (u32 >> n);
    e = e * 5 + (uint32_t)(s32 >> n);
  }
  printf("%08x %08x\n", d, e);
  uint64_t r = 0;
  for (unsigned n = 0; n < 130; n++) {
    r = r * 11 + rol8((uint8_t)u, n) + rol16((uint16_t)u, n);
    r ^= rol32(u32, n);
    r += rol64(u, n) ^ ror64(u, n * 3);
  }
  printf("%016lx\n", r);
  int16_t sh = -2;
  sh >>= 1;
  printf("%d ", sh);
  sh = (int16_t)(0x4000 << 1);
  printf("%d ", sh);
  uint8_t by = 0xf0;
  by <<= 2;
  printf("%d ", by);
  by >>= 3;
  printf("%d\n", by);
  printf("%d %d %d\n", -1 >> 31, -5 >> 1, (int)(0xffffffffu >> 31));
  return (int)(r & 0x7f);
}
