// Wide characters: %ls, %lc, wcs functions, swprintf, wctype, wcstol in the C locale.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  printf("%ls|%10ls|%-8ls|%.2ls|\n", L"wide", L"pad", L"left", L"cut");
  printf("%lc%lc\n", (wint_t)L'A', (wint_t)L'z');
  wchar_t b[32];
  wcscpy(b, L"hello");
  wcscat(b, L" wide");
  printf("%zu %d %d\n", wcslen(b), wcscmp(b, L"hello") > 0, wcsncmp(b, L"help", 3));
  printf("%td %td\n", wcschr(b, L'w') - b, wcsstr(b, L"id") - b);
  int n = swprintf(b, 32, L"%d-%ls-%s", 42, L"w", "narrow");
  printf("%d %ls\n", n, b);
  printf("%d %d %d %d\n", !!iswalpha(L'x'), !!iswdigit(L'7'), (int)towupper(L'q'), !!iswspace(L'x'));
  wchar_t *e;
  printf("%ld ", wcstol(L"123abc", &e, 10));
  printf("%ls %g\n", e, wcstod(L"2.5", NULL));
  char mb[32];
  size_t k = wcstombs(mb, L"narrowed", sizeof mb);
  printf("%zu %s\n", k, mb);
  k = mbstowcs(b, "widened", 32);
  printf("%zu %ls\n", k, b);
  wchar_t arr[8];
  wmemset(arr, L'x', 7);
  arr[7] = 0;
  wmemcpy(arr + 2, L"yz", 2);
  printf("%ls %d\n", arr, wmemcmp(arr, L"xxy", 3));
  mbstate_t st = {0};
  wchar_t wc = 0;
  printf("%zu", mbrtowc(&wc, "Q", 1, &st));
  printf(" %d %zu\n", (int)wc, sizeof(wchar_t));
  wchar_t tok[] = L"a b  c", *save;
  for (wchar_t *t = wcstok(tok, L" ", &save); t; t = wcstok(NULL, L" ", &save)) printf("<%ls>", t);
  puts("");
  printf("%d %d\n", btowc('A'), wctob(L'B'));
  return n;
}
