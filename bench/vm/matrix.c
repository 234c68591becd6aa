/* Floating point and two-dimensional arrays: repeated matrix products. */
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { SIZE = 64, ROUNDS = 4 * SCALE };

typedef double matrix[SIZE][SIZE];

static matrix a, b, c;

static void multiply(matrix result, matrix left, matrix right)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += left[i][k] * right[k][j];
            result[i][j] = sum / 58;
        }
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = (i * 7 + j * 3) % 11 - 5;
            b[i][j] = (i * 5 + j * 13) % 17 - 8;
        }
    for (int round = 0; round < ROUNDS; round++) {
        multiply(c, a, b);
        multiply(a, c, b);
    }
    double trace = 0;
    for (int i = 0; i < SIZE; i++)
        trace += a[i][i];
    printf("trace %.9g\n", trace);
    return 0;
}
