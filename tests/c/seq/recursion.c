// Recursion: Ackermann, Hanoi, mutual, tail, permutations, deep stacks.
#include <stdio.h>

static unsigned ack(unsigned m, unsigned n) {
  if (!m) return n + 1;
  if (!n) return ack(m - 1, 1);
  return ack(m - 1, ack(m, n - 1));
}
static int moves;
static unsigned long trail = 1;
static void hanoi(int n, int from, int to, int via) {
  if (!n) return;
  hanoi(n - 1, from, via, to);
  moves++;
  trail = trail * 31 + (unsigned)(n * 16 + from * 4 + to);
  hanoi(n - 1, via, to, from);
}
static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static long gcd(long a, long b) { return b ? gcd(b, a % b) : a; }
static long tail_sum(long n, long acc) { return n ? tail_sum(n - 1, acc + n) : acc; }
static int perms, weight;
static void permute(int *a, int n, int k) {
  if (k == n) {
    perms++;
    for (int i = 0; i < n; i++) weight = (weight * 7 + a[i]) % 65521;
    return;
  }
  for (int i = k; i < n; i++) {
    int t = a[k];
    a[k] = a[i];
    a[i] = t;
    permute(a, n, k + 1);
    t = a[k];
    a[k] = a[i];
    a[i] = t;
  }
}
static int male(int);
static int female(int n) { return n ? n - male(female(n - 1)) : 1; }
static int male(int n) { return n ? n - female(male(n - 1)) : 0; }
static int m91(int n) { return n > 100 ? n - 10 : m91(m91(n + 11)); }
static int tak(int x, int y, int z) { return y < x ? tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)) : z; }
static void print_rec(unsigned n, unsigned base) {
  if (n >= base) print_rec(n / base, base);
  putchar("0123456789abcdefghijklmnopqrstuvwxyz"[n % base]);
}

int main(void) {
  printf("%u %u\n", ack(2, 3), ack(3, 3));
  hanoi(7, 0, 2, 1);
  printf("%d %lx\n", moves, trail);
  printf("%d %d\n", is_even(500), is_odd(333));
  printf("%ld %ld\n", gcd(1071, 462), tail_sum(3000, 0));
  int a[5] = {1, 2, 3, 4, 5};
  permute(a, 5, 0);
  printf("%d %d\n", perms, weight);
  for (int i = 0; i < 15; i++) printf("%d%d ", female(i), male(i));
  printf("\n%d %d\n", m91(40), tak(7, 4, 2));
  print_rec(123456789, 36);
  putchar(' ');
  print_rec(255, 2);
  puts("");
  return (int)ack(2, 5);
}
