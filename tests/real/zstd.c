/* Zstandard with two workers: what is compressed comes back. */
#define ZSTD_STATIC_LINKING_ONLY
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "zstd.h"

enum { SIZE = 2500 };

static char before[SIZE], packed[2 * SIZE], after[SIZE];

static void set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
    assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)));
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        before[i] = (char)("interleaving"[i % 12] + i / 100);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    set(context, ZSTD_c_nbWorkers, 2);
    set(context, ZSTD_c_compressionLevel, 1);
    set(context, ZSTD_c_windowLog, 10);
    set(context, ZSTD_c_hashLog, 6);
    set(context, ZSTD_c_chainLog, 6);
    set(context, ZSTD_c_jobSize, 1024);
    set(context, ZSTD_c_overlapLog, 1);
    ZSTD_inBuffer in = {before, SIZE, 0};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    size_t left;
    do {
        left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
        assert(!ZSTD_isError(left));
    } while (left > 0);
    ZSTD_freeCCtx(context);
    assert(ZSTD_decompress(after, SIZE, packed, out.pos) == SIZE);
    assert(memcmp(before, after, SIZE) == 0);
    printf("%d -> %zu\n", SIZE, out.pos);
    return 0;
}
