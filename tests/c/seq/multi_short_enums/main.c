// -fshort-enums: enums take the smallest type; packed enum attribute.
#include <stdio.h>

enum tiny { A, B = 100, C = 255 };
enum neg { N = -1, P = 127 };
enum wide { W = 256 };
enum big { G = 70000 };
struct s {
  enum tiny t;
  enum neg n;
  enum wide w;
};

int main(void) {
  printf("%zu %zu %zu %zu %zu\n", sizeof(enum tiny), sizeof(enum neg), sizeof(enum wide), sizeof(enum big), sizeof(struct s));
  volatile struct s v = {C, N, W};
  int sum = v.t + v.n + v.w;
  printf("%d %d %d %d\n", v.t, v.n, v.w, sum);
  enum tiny arr[3] = {A, B, C};
  for (int i = 0; i < 3; i++) sum += arr[i];
  printf("%d\n", sum);
  return sum & 0xff;
}
