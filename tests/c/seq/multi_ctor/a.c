// Constructors and destructors with priorities spread over three files.
#include <stdio.h>

void note(int);
int dump(void);
__attribute__((constructor(150))) static void c150(void) { note(150); }
__attribute__((constructor(110))) static void c110(void) { note(110); }
__attribute__((destructor(110))) static void d110(void) { puts("d110"); }
__attribute__((destructor(150))) static void d150(void) { puts("d150"); }

int main(void) {
  puts("main");
  return dump();
}
