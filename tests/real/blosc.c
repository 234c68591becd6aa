/* c-blosc with two threads: what is compressed comes back. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "blosc.h"

enum { SIZE = 1024, BLOCK = 256 };

static char before[SIZE], packed[SIZE + BLOSC_MAX_OVERHEAD], after[SIZE];

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        before[i] = (char)(i / 64);
    blosc_init();
    blosc_set_nthreads(2);
    blosc_set_blocksize(BLOCK);
    int size = blosc_compress(5, BLOSC_NOSHUFFLE, 4, SIZE, before, packed, sizeof packed);
    assert(size > 0);
    int back = blosc_decompress(packed, after, SIZE);
    assert(back == SIZE && memcmp(before, after, SIZE) == 0);
    printf("%d -> %d\n", SIZE, size);
    blosc_destroy();
    return 0;
}
