// Huffman coding: frequency heap, tree, canonical lengths, encode, decode, compare.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int freq, sym;
  struct node *l, *r;
};
static struct node pool[512], *heap[256];
static int used, n;
static char codes[256][32];

static int less(const struct node *a, const struct node *b) { return a->freq != b->freq ? a->freq < b->freq : a->sym < b->sym; }
static void push(struct node *x) {
  int i = n++;
  while (i && less(x, heap[(i - 1) / 2])) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = x;
}
static struct node *pop(void) {
  struct node *top = heap[0], *x = heap[--n];
  int i = 0;
  for (;;) {
    int c = 2 * i + 1;
    if (c >= n) break;
    if (c + 1 < n && less(heap[c + 1], heap[c])) c++;
    if (!less(heap[c], x)) break;
    heap[i] = heap[c];
    i = c;
  }
  heap[i] = x;
  return top;
}
static void walk(const struct node *t, char *buf, int d) {
  if (!t->l) {
    buf[d] = 0;
    strcpy(codes[t->sym], d ? buf : "0");
    return;
  }
  buf[d] = '0';
  walk(t->l, buf, d + 1);
  buf[d] = '1';
  walk(t->r, buf, d + 1);
}

int main(void) {
  const char *text = "she sells sea shells by the sea shore; the shells she sells are sea shells for sure";
  int freq[256] = {0};
  for (const char *p = text; *p; p++) freq[(unsigned char)*p]++;
  for (int i = 0; i < 256; i++)
    if (freq[i]) {
      pool[used] = (struct node){freq[i], i, NULL, NULL};
      push(&pool[used++]);
    }
  while (n > 1) {
    struct node *a = pop(), *b = pop();
    pool[used] = (struct node){a->freq + b->freq, 256 + used, a, b};
    push(&pool[used++]);
  }
  struct node *root = pop();
  char buf[32];
  walk(root, buf, 0);
  for (int i = 0; i < 256; i++)
    if (freq[i]) printf("%c:%d:%s ", i, freq[i], codes[i]);
  puts("");
  static unsigned char bits[1024];
  int nb = 0;
  for (const char *p = text; *p; p++)
    for (const char *c = codes[(unsigned char)*p]; *c; c++, nb++)
      if (*c == '1') bits[nb / 8] |= (unsigned char)(0x80 >> nb % 8);
  char out[256];
  int o = 0;
  const struct node *t = root;
  for (int i = 0; i < nb; i++) {
    t = bits[i / 8] & 0x80 >> i % 8 ? t->r : t->l;
    if (!t->l) {
      out[o++] = (char)t->sym;
      t = root;
    }
  }
  out[o] = 0;
  unsigned h = 0;
  for (int i = 0; i <= nb / 8; i++) h = h * 31 + bits[i];
  printf("%zu -> %d bits, %08x, %s\n", strlen(text) * 8, nb, h, strcmp(out, text) ? "differs" : "same");
  return nb & 0xff;
}
