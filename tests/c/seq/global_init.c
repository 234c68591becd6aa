// Global initialisers: addresses of globals, functions, members, offsets; tentative definitions.
#include <stdint.h>
#include <stdio.h>

static int f1(int x) { return x + 1; }
static int f2(int x) { return x * 2; }
int tentative;
int tentative;
static int arr[6] = {1, 2, 3, 4, 5, 6};
static int *mid = &arr[3];
static int *back = arr + 6 - 2;
static int **pmid = &mid;
struct node {
  struct node *next;
  int val;
  int (*fn)(int);
  const char *name;
};
extern struct node third;
static struct node first = {.next = &(struct node){&third, 20, f2, "second"}, .val = 10, .fn = f1, .name = "first"};
struct node third = {&first, 30, &f1, &"third"[2]};
static const struct {
  const int *p;
  const char *s;
  double d;
  long diff;
} mixed[] = {{&first.val, "abc", 1.0 / 4, sizeof arr}, {&arr[sizeof arr / sizeof *arr - 1], &"hello"[1], -3e2, -1l}};
static int (*const ops[])(int) = {f1, f2, f1};
static char grid[2][3] = {"ab", {'x', 'y', 'z'}};
static uint64_t consts[] = {~0ull, 1ull << 40, (uint64_t)-5, (uint8_t)44};
static float fl = 16777219.0;
static int tri = 5 > 3 ? 'y' : 'n';
static const char *strs[] = {"one", "two", NULL};
extern int declared_later;
static int *later = &declared_later;
int declared_later = 77;


int main(void) {
  tentative += 4;
  printf("%d %d %d %d\n", *mid, *back, **pmid, tentative);
  struct node *p = &first;
  int x = 1;
  for (int i = 0; i < 7; i++, p = p->next) {
    x = p->fn(x) + p->val;
    printf("%s ", p->name);
  }
  printf("%d\n", x);
  printf("%d %s %g %ld | %d %s %g %ld\n", *mixed[0].p, mixed[0].s, mixed[0].d, mixed[0].diff, *mixed[1].p, mixed[1].s,
         mixed[1].d, mixed[1].diff);
  for (int i = 0; i < 3; i++) x = ops[i](x);
  printf("%d %.3s %.3s\n", x, grid[0], grid[1]);
  printf("%lx %lx %lx %lx\n", consts[0], consts[1], consts[2], consts[3]);
  printf("%.1f %c %s %d %d\n", fl, tri, strs[1], strs[2] == NULL, *later);
  *later = 5;
  printf("%d %td\n", declared_later, back - mid);
  return declared_later;
}
