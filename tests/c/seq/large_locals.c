// Large local arrays and large structs copied on the stack.
#include <stdio.h>
#include <string.h>

struct big {
  int a[256];
  char tail;
};

static struct big rotate(struct big b, int by) {
  struct big r;
  for (int i = 0; i < 256; i++) r.a[(i + by) % 256] = b.a[i];
  r.tail = (char)(b.tail + 1);
  return r;
}

static unsigned long fill(int depth) {
  unsigned char buf[4096];
  memset(buf, depth, sizeof buf);
  for (int i = 0; i < 4096; i += 64) buf[i] = (unsigned char)(i >> 4);
  unsigned long h = depth ? fill(depth - 1) : 1;
  for (int i = 0; i < 4096; i += 37) h = h * 31 + buf[i];
  return h;
}

int main(void) {
  struct big b;
  for (int i = 0; i < 256; i++) b.a[i] = i * i;
  b.tail = 'a';
  for (int i = 0; i < 5; i++) b = rotate(b, 10 + i);
  printf("%d %d %c\n", b.a[0], b.a[255], b.tail);
  printf("%lx\n", fill(8));
  int m[64][64];
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) m[i][j] = i ^ j;
  long t = 0;
  for (int j = 0; j < 64; j += 3)
    for (int i = 0; i < 64; i += 2) t += m[i][j] * (i - j);
  printf("%ld\n", t);
  double zero[512] = {1.5};
  double s = 0;
  for (int i = 0; i < 512; i++) s += zero[i];
  printf("%g\n", s);
  char text[1000] = "partly initialised";
  int z = 0;
  for (int i = 0; i < 1000; i++) z += text[i] == 0;
  printf("%d\n", z);
  return z % 256;
}
