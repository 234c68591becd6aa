// rand with and without srand, rand_r, random, drand48: the sequences of the C library.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  for (int i = 0; i < 5; i++) printf("%d ", rand());
  puts("");
  srand(1);
  for (int i = 0; i < 5; i++) printf("%d ", rand());
  puts("");
  srand(12345);
  long sum = 0;
  for (int i = 0; i < 200; i++) sum = (sum * 31 + rand()) % 1000000007;
  printf("%ld %d\n", sum, RAND_MAX);
  unsigned seed = 7;
  for (int i = 0; i < 4; i++) printf("%d ", rand_r(&seed));
  printf("%u\n", seed);
  srandom(99);
  long r1 = random(), r2 = random();
  printf("%ld %ld\n", r1, r2);
  srand48(5);
  double d48 = drand48();
  long l48 = lrand48(), m48 = mrand48();
  printf("%.12f %ld %ld\n", d48, l48, m48);
  unsigned short st[3] = {1, 2, 3};
  double e48 = erand48(st);
  printf("%.12f %ld\n", e48, nrand48(st));
  int die[6] = {0};
  srand(42);
  for (int i = 0; i < 600; i++) die[rand() % 6]++;
  for (int i = 0; i < 6; i++) printf("%d ", die[i]);
  puts("");
  return die[0];
}
