// Constant data: nested const structs, tables of pointers into tables, constant folding of addresses, read through volatile.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct op {
  const char *name;
  uint8_t code;
  const struct op *alias;
};
static const struct op ops[] = {{"nop", 0, NULL}, {"add", 1, NULL}, {"plus", 1, &ops[1]}, {"sub", 2, NULL}, {"minus", 2, ops + 3}};
static const char *const *const names = (const char *const[]){"one", "two", "three"};
static const double consts[] = {0.5, 1e100, -0.0, 1.0 / 3.0};
static const struct {
  char tag[4];
  union {
    int i;
    float f;
  } v;
  const short arr[3];
} mixed[] = {{"int", {.i = 7}, {1, 2, 3}}, {"flt", {.f = 2.5f}, {-1}}};
static const uint64_t big[4] = {[3] = ~0ull};
static const int zeros[1000];
static const wchar_t wide[] = L"wide";
static const int *const ptrs[] = {&zeros[999], (const int *)0, &zeros[0] + 5};
static const unsigned char bytes[] = {0xde, 0xad, 0xbe, 0xef};
static const int lookup[16] = {[0 ... 7] = 1, [8 ... 15] = 2};
const volatile int port = 0x3f8;

int main(void) {
  volatile int k = 2;
  printf("%s %s %d\n", ops[k].name, ops[k].alias->name, ops[k + 2].alias->code);
  printf("%s %s\n", names[k], names[0]);
  printf("%a %a %a\n", consts[k - 1], consts[k], consts[k + 1]);
  printf("%s %d %g %d %d\n", mixed[0].tag, mixed[0].v.i, mixed[k - 1].v.f, mixed[0].arr[k], mixed[1].arr[1]);
  printf("%lx %lx %d\n", big[k], big[k + 1], zeros[k * 100]);
  printf("%d %d %td\n", *ptrs[0], ptrs[k - 1] == NULL, ptrs[2] - zeros);
  printf("%d %x\n", (int)wide[k], port);
  uint32_t w;
  memcpy(&w, bytes, 4);
  printf("%08x %d\n", w, lookup[k] + lookup[k * 4]);
  int s = 0;
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) s = s * 3 + ops[i].code + (ops[i].alias != NULL);
  return s;
}
