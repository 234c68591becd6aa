/* Calls: Fibonacci, Ackermann and the towers of Hanoi. */
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static long hanoi(int discs, int from, int to)
{
    if (discs == 0)
        return 0;
    int other = 6 - from - to;
    return hanoi(discs - 1, from, other) + 1 + hanoi(discs - 1, other, to);
}

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 2 * SCALE; round++)
        sum += fib(26 + round % 2) + ackermann(2, 200 + round) + hanoi(17, 1, 3);
    printf("%ld\n", sum);
    return 0;
}
