// LZ77 compression with a hash chain, decompression with overlapping copies, and LZW.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t compress(const uint8_t *in, size_t n, uint8_t *out) {
  size_t o = 0;
  static int head[256], prev[2048];
  memset(head, -1, sizeof head);
  for (size_t i = 0; i < n;) {
    size_t best = 0, dist = 0;
    if (i + 3 <= n) {
      unsigned h = (in[i] * 31u + in[i + 1] * 7u + in[i + 2]) & 255;
      int tries = 16;
      for (int c = head[h]; c >= 0 && tries--; c = prev[c]) {
        size_t l = 0;
        while (i + l < n && l < 130 && in[(size_t)c + l] == in[i + l]) l++;
        if (l > best && i - (size_t)c < 4096) best = l, dist = i - (size_t)c;
      }
    }
    size_t step = 1;
    if (best >= 4) {
      out[o++] = (uint8_t)(0x80 | (best - 4));
      out[o++] = (uint8_t)(dist >> 8);
      out[o++] = (uint8_t)dist;
      step = best;
    } else {
      out[o++] = in[i] & 0x7f;
    }
    while (step--) {
      if (i + 3 <= n) {
        unsigned h = (in[i] * 31u + in[i + 1] * 7u + in[i + 2]) & 255;
        prev[i] = head[h];
        head[h] = (int)i;
      }
      i++;
    }
  }
  return o;
}
static size_t expand(const uint8_t *in, size_t n, uint8_t *out) {
  size_t o = 0;
  for (size_t i = 0; i < n;) {
    if (in[i] & 0x80) {
      size_t l = (size_t)(in[i] & 0x7f) + 4, d = (size_t)in[i + 1] << 8 | in[i + 2];
      for (; l; l--, o++) out[o] = out[o - d];
      i += 3;
    } else {
      out[o++] = in[i++];
    }
  }
  return o;
}
static int lzw(const char *s, int *codes) {
  static struct {
    int prefix;
    char c;
  } dict[512];
  int size = 128, cur = *s++, n = 0;
  for (; *s; s++) {
    int k;
    for (k = 128; k < size; k++)
      if (dict[k].prefix == cur && dict[k].c == *s) break;
    if (k < size) {
      cur = k;
    } else {
      codes[n++] = cur;
      dict[size].prefix = cur;
      dict[size++].c = *s;
      cur = *s;
    }
  }
  codes[n++] = cur;
  return n;
}

int main(void) {
  static uint8_t src[2000], z[4000], back[2100];
  size_t n = 0;
  const char *words[] = {"model ", "checker ", "thread ", "bare ", "aaaaaaaaaa", "\n"};
  uint32_t x = 3;
  while (n < 1900) {
    x = x * 1664525 + 1013904223;
    const char *w = words[(x >> 24) % 6];
    memcpy(src + n, w, strlen(w));
    n += strlen(w);
  }
  size_t c = compress(src, n, z), b = expand(z, c, back);
  unsigned h = 0;
  for (size_t i = 0; i < c; i++) h = h * 33 + z[i];
  printf("%zu -> %zu -> %zu %s %08x\n", n, c, b, memcmp(src, back, n) ? "differs" : "same", h);
  memset(src, 'x', 500);
  c = compress(src, 500, z);
  printf("%zu %d\n", c, expand(z, c, back) == 500 && !memcmp(src, back, 500));
  int codes[128], k = lzw("tobeornottobeortobeornottobe", codes);
  for (int i = 0; i < k; i++) printf("%d ", codes[i]);
  puts("");
  return (int)(c + (unsigned)k);
}
