/* liblzma with two threads: what is compressed comes back. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lzma.h"

enum { SIZE = 300, BLOCK = 150 };

static uint8_t before[SIZE], packed[2048], after[SIZE];

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        before[i] = (uint8_t)("interleaving"[i % 12] + i / 50);
    lzma_options_lzma options;
    assert(!lzma_lzma_preset(&options, 0));
    options.dict_size = LZMA_DICT_SIZE_MIN;
    options.mf = LZMA_MF_HC3;
    options.nice_len = 8;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    lzma_mt mt = {.threads = 2, .block_size = BLOCK, .filters = filters, .check = LZMA_CHECK_CRC32};
    lzma_stream stream = LZMA_STREAM_INIT;
    assert(lzma_stream_encoder_mt(&stream, &mt) == LZMA_OK);
    stream.next_in = before;
    stream.avail_in = SIZE;
    stream.next_out = packed;
    stream.avail_out = sizeof packed;
    lzma_ret result;
    do
        result = lzma_code(&stream, LZMA_FINISH);
    while (result == LZMA_OK);
    assert(result == LZMA_STREAM_END);
    size_t size = stream.total_out, in = 0, out = 0;
    lzma_end(&stream);
    uint64_t memory = UINT64_MAX;
    assert(lzma_stream_buffer_decode(&memory, 0, NULL, packed, &in, size, after, &out, SIZE) == LZMA_OK);
    assert(out == SIZE && memcmp(before, after, SIZE) == 0);
    printf("%d -> %zu\n", SIZE, size);
    return 0;
}
