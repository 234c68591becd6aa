/* Arrays of bytes and nested loops: the sieve of Eratosthenes, a few rounds. */
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { LIMIT = 200000, ROUNDS = 3 * SCALE };

static unsigned char composite[LIMIT + 1];

int main(void)
{
    int primes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        memset(composite, 0, sizeof composite);
        primes = 0;
        for (int i = 2; i <= LIMIT; i++) {
            if (composite[i])
                continue;
            primes++;
            for (int j = 2 * i; j <= LIMIT; j += i)
                composite[j] = 1;
        }
    }
    printf("%d primes up to %d\n", primes, LIMIT);
    return 0;
}
