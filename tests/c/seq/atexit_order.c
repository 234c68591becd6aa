// atexit handlers: reverse order, registration inside a handler, exit from nested calls.
#include <stdio.h>
#include <stdlib.h>

static int count;
static void first(void) { printf("first %d\n", ++count); }
static void late(void) { printf("late %d\n", ++count); }
static void second(void) {
  printf("second %d\n", ++count);
  atexit(late);
}
static void third(void) { printf("third %d\n", ++count); }
static void deep(int n) {
  if (n == 0) {
    puts("leaving");
    exit(300 + 7);
  }
  deep(n - 1);
  puts("not reached");
}

int main(void) {
  atexit(first);
  atexit(second);
  atexit(third);
  atexit(third);
  for (int i = 0; i < 3; i++) printf("%d ", i);
  deep(20);
  return 1;
}
