// A small register machine: assembler, switch-dispatched interpreter, calls and memory.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { LDI, MOV, ADD, SUB, MUL, DIV, LD, ST, JMP, JLT, JEQ, CALL, RET, OUT, HLT, NOPS };
static const char *const names[NOPS] = {"ldi", "mov", "add", "sub", "mul", "div", "ld", "st", "jmp", "jlt", "jeq", "call", "ret", "out", "hlt"};
struct insn {
  uint8_t op, a, b;
  int16_t imm;
};
struct label {
  char name[8];
  int at;
};

static int assemble(const char *src, struct insn *out) {
  struct label labels[16];
  int nl = 0, n = 0;
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    char text[1024];
    strncpy(text, src, sizeof text - 1);
    text[sizeof text - 1] = 0;
    char *save;
    for (char *line = strtok_r(text, ";", &save); line; line = strtok_r(NULL, ";", &save)) {
      char w[4][8] = {"", "", "", ""};
      int k = sscanf(line, "%7s %7s %7s %7s", w[0], w[1], w[2], w[3]);
      if (k <= 0) continue;
      size_t len = strlen(w[0]);
      if (w[0][len - 1] == ':') {
        w[0][len - 1] = 0;
        if (!pass) {
          memcpy(labels[nl].name, w[0], 8);
          labels[nl++].at = n;
        }
        continue;
      }
      struct insn in = {NOPS, 0, 0, 0};
      for (int o = 0; o < NOPS; o++)
        if (!strcmp(names[o], w[0])) in.op = (uint8_t)o;
      if (in.op == NOPS) exit(50);
      int regs = 0;
      for (int i = 1; i < k; i++) {
        if (w[i][0] == 'r') {
          if (regs++) in.b = (uint8_t)atoi(w[i] + 1);
          else in.a = (uint8_t)atoi(w[i] + 1);
        } else if (w[i][0] == '@') {
          for (int l = 0; l < nl; l++)
            if (!strcmp(labels[l].name, w[i] + 1)) in.imm = (int16_t)labels[l].at;
        } else {
          in.imm = (int16_t)atoi(w[i]);
        }
      }
      out[n++] = in;
    }
  }
  return n;
}
static long run(const struct insn *code, long *steps) {
  long r[8] = {0}, mem[64] = {0};
  int stack[32], sp = 0, pc = 0;
  for (*steps = 0; *steps < 20000; ++*steps) {
    struct insn i = code[pc++];
    switch ((enum op)i.op) {
      case LDI: r[i.a] = i.imm; break;
      case MOV: r[i.a] = r[i.b]; break;
      case ADD: r[i.a] += r[i.b]; break;
      case SUB: r[i.a] -= r[i.b]; break;
      case MUL: r[i.a] *= r[i.b]; break;
      case DIV: r[i.a] = r[i.b] ? r[i.a] / r[i.b] : 0; break;
      case LD: r[i.a] = mem[(r[i.b] + i.imm) & 63]; break;
      case ST: mem[(r[i.b] + i.imm) & 63] = r[i.a]; break;
      case JMP: pc = i.imm; break;
      case JLT: if (r[i.a] < r[i.b]) pc = i.imm; break;
      case JEQ: if (r[i.a] == r[i.b]) pc = i.imm; break;
      case CALL: stack[sp++] = pc; pc = i.imm; break;
      case RET: pc = stack[--sp]; break;
      case OUT: printf("%ld ", r[i.a]); break;
      case HLT: puts(""); return r[0];
      case NOPS: exit(51);
    }
  }
  return -1;
}

int main(void) {
  static struct insn code[64];
  static const char *const progs[] = {
      "ldi r0 0; ldi r1 1; ldi r2 0; ldi r3 15; ldi r4 1; loop:; out r0; mov r5 r0; add r5 r1; mov r0 r1; mov r1 r5; add r2 r4; jlt r2 r3 @loop; hlt",
      "ldi r0 10; ldi r1 1; call @fact; mov r0 r1; out r0; hlt; fact:; ldi r2 1; jlt r0 r2 @end; mul r1 r0; sub r0 r2; call @fact; end:; ret",
      "ldi r1 0; ldi r2 50; ldi r4 1; fill:; mov r3 r1; mul r3 r3; st r3 r1 0; add r1 r4; jlt r1 r2 @fill; ldi r1 0; ldi r0 0; sum:; ld r3 r1 0; add r0 r3; add r1 r4; jlt r1 r2 @sum; out r0; hlt",
  };
  long total = 0;
  for (int i = 0; i < 3; i++) {
    int n = assemble(progs[i], code);
    long steps, r = run(code, &steps);
    printf("%d insns, %ld steps, %ld\n", n, steps, r);
    total += r + steps;
  }
  return (int)(total & 0xff);
}
