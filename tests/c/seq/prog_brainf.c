// A brainf*** interpreter with jump table, and a program that prints and computes.
#include <stdio.h>
#include <string.h>

static long run(const char *code, const char *in) {
  static unsigned char tape[512];
  int jump[512], stack[32], sp = 0, n = (int)strlen(code);
  memset(tape, 0, sizeof tape);
  for (int i = 0; i < n; i++) {
    if (code[i] == '[') stack[sp++] = i;
    if (code[i] == ']') {
      int o = stack[--sp];
      jump[o] = i;
      jump[i] = o;
    }
  }
  long steps = 0;
  unsigned p = 0;
  for (int pc = 0; pc < n; pc++, steps++) switch (code[pc]) {
      case '>': p = (p + 1) % sizeof tape; break;
      case '<': p = (p + sizeof tape - 1) % sizeof tape; break;
      case '+': tape[p]++; break;
      case '-': tape[p]--; break;
      case '.': putchar(tape[p]); break;
      case ',': tape[p] = (unsigned char)(*in ? *in++ : 0); break;
      case '[': if (!tape[p]) pc = jump[pc]; break;
      case ']': if (tape[p]) pc = jump[pc]; break;
    }
  return steps;
}

int main(void) {
  long s = run("++++++++[>+++++++++<-]>.<+++++[>+++++<-]>++++.<++[>+++<-]>+..+++.", "");
  printf("\n%ld\n", s);
  s = run(",[>,]<[.<]", "reversed");
  printf("\n%ld\n", s);
  s = run(">+++++++>++++++<[>[->+>+<<]>>[-<<+>>]<<<-]>>>[-<+<+>>]<.", "");
  printf("\n%ld\n", s);
  s = run(",>,<[>+<-]>------------------------------------------------.", "45");
  printf("\n%ld\n", s);
  return (int)(s & 0xff);
}
