/* The small rest of <stdlib.h> and <inttypes.h>. */
#include "tb_internal.h"

#include <inttypes.h>
#include <stdlib.h>

int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }
intmax_t imaxabs(intmax_t n) { return n < 0 ? -n : n; }

div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }
imaxdiv_t imaxdiv(intmax_t a, intmax_t b) { return (imaxdiv_t){a / b, a % b}; }

int system(const char *command)
{
    (void)command;
    __tb_unsupported("system");
}

int getsubopt(char **option, char *const *tokens, char **value)
{
    char *start = *option, *end = start, *equals = NULL;
    for (; *end && *end != ','; end++)
        if (*end == '=' && !equals)
            equals = end;
    size_t length = (size_t)((equals ? equals : end) - start);
    *option = *end ? end + 1 : end;
    *end = 0;
    *value = equals ? equals + 1 : NULL;
    for (int i = 0; tokens[i]; i++) {
        size_t n = 0;
        while (n < length && tokens[i][n] && tokens[i][n] == start[n])
            n++;
        if (n == length && !tokens[i][n])
            return i;
    }
    *value = start;
    return -1;
}
