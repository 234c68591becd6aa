// Base64 and hex and URL coding: encode, decode, padding, bad input.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char abc[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(const unsigned char *in, size_t n, char *out) {
  char *o = out;
  for (size_t i = 0; i < n; i += 3) {
    unsigned v = (unsigned)in[i] << 16 | (i + 1 < n ? (unsigned)in[i + 1] << 8 : 0) | (i + 2 < n ? in[i + 2] : 0u);
    *o++ = abc[v >> 18];
    *o++ = abc[v >> 12 & 63];
    *o++ = i + 1 < n ? abc[v >> 6 & 63] : '=';
    *o++ = i + 2 < n ? abc[v & 63] : '=';
  }
  *o = 0;
  return (size_t)(o - out);
}
static int decode(const char *in, unsigned char *out) {
  unsigned v = 0;
  int bits = 0, n = 0;
  for (; *in && *in != '='; in++) {
    const char *p = strchr(abc, *in);
    if (!p) return -1;
    v = v << 6 | (unsigned)(p - abc);
    bits += 6;
    if (bits >= 8) out[n++] = (unsigned char)(v >> (bits -= 8));
    v &= (1u << bits) - 1;
  }
  return n;
}
static void url(const char *s) {
  for (; *s; s++)
    if (isalnum((unsigned char)*s) || strchr("-_.~", *s)) putchar(*s);
    else printf("%%%02X", (unsigned char)*s);
  puts("");
}

int main(void) {
  const char *in[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
  char e[64];
  unsigned char d[64];
  for (int i = 0; i < 7; i++) {
    encode((const unsigned char *)in[i], strlen(in[i]), e);
    int n = decode(e, d);
    d[n] = 0;
    printf("%s %d %s\n", e, n, (char *)d);
  }
  unsigned char all[256], back[256];
  char big[400];
  for (int i = 0; i < 256; i++) all[i] = (unsigned char)(i * 167 + 13);
  size_t n = encode(all, 256, big);
  int m = decode(big, back);
  printf("%zu %d %d %.20s\n", n, m, memcmp(all, back, 256), big);
  printf("%d\n", decode("ab$d", d));
  url("a b&c/d=\xc3\xa9~x");
  char hex[33];
  for (int i = 0; i < 16; i++) sprintf(hex + 2 * i, "%02x", all[i]);
  unsigned back2 = 0;
  for (int i = 0; i < 16; i++) {
    unsigned v;
    sscanf(hex + 2 * i, "%2x", &v);
    back2 += v == all[i];
  }
  printf("%s %u\n", hex, back2);
  return (int)n & 0xff;
}
