// Bit-fields of enum, _Bool, in unions, packed, in arrays, as registers and dates.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum color { RED, GREEN, BLUE, ALPHA };
struct pixel {
  enum color c : 2;
  bool on : 1;
  unsigned level : 5;
};
struct __attribute__((packed)) odd {
  unsigned a : 3;
  unsigned long b : 50;
  unsigned c : 11;
  char tail;
};
union reg {
  uint32_t word;
  struct {
    uint32_t enable : 1;
    uint32_t mode : 3;
    uint32_t : 4;
    uint32_t divider : 12;
    uint32_t status : 12;
  };
};
struct date {
  unsigned day : 5, month : 4, year : 12;
};
union insn {
  uint32_t raw;
  struct {
    uint32_t op : 6, rs : 5, rt : 5;
    int32_t imm : 16;
  } i;
};

static struct date next_month(struct date d) {
  if (++d.month > 12) {
    d.month = 1;
    d.year++;
  }
  return d;
}

int main(void) {
  struct pixel row[10];
  memset(row, 0, sizeof row);
  for (unsigned i = 0; i < 10; i++) row[i] = (struct pixel){(enum color)(i % 4), i % 3 != 0, i * 3 & 31};
  unsigned h = 0;
  for (int i = 0; i < 10; i++) h = h * 37 + row[i].c * 4u + row[i].on * 2u + row[i].level;
  printf("%u %zu\n", h, sizeof row);
  struct odd o;
  memset(&o, 0, sizeof o);
  o.a = 5;
  o.b = 0x2aaaabbbbccccul;
  o.c = 0x5a5;
  o.tail = 'T';
  unsigned char raw[sizeof o];
  memcpy(raw, &o, sizeof o);
  for (size_t i = 0; i < sizeof o; i++) printf("%02x", raw[i]);
  printf(" %lx %x %zu\n", (unsigned long)o.b, o.c, sizeof o);
  union reg r = {0};
  r.enable = 1;
  r.mode = 6;
  r.divider = 0xabc;
  r.status = ~0u;
  printf("%08x\n", r.word);
  r.word ^= 0x00100009;
  printf("%u %u %u %u\n", r.enable, r.mode, r.divider, r.status);
  struct date d = {31, 10, 1999};
  for (int i = 0; i < 5; i++) d = next_month(d);
  printf("%u-%u-%u\n", d.year, d.month, d.day);
  union insn in = {.i = {35, 7, 29, -4}};
  printf("%08x %d\n", in.raw, in.i.imm);
  in.raw += 0x10000;
  printf("%u %u %u %d\n", in.i.op, in.i.rs, in.i.rt, in.i.imm);
  struct pixel *p = &row[3];
  p->level = p->level + 40u;
  p->on = p->level;
  p->c = (enum color)((p->c + 1) & 3);
  printf("%d %d %u\n", p->c, p->on, p->level);
  return (int)(h & 0xff);
}
