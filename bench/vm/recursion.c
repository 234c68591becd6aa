/* Calls: Fibonacci, Ackermann and the towers of Hanoi. */
#include <stdio.h>

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
    printf("%d %d %ld\n", fib(27), ackermann(2, 300), hanoi(17, 1, 3));
    return 0;
}
