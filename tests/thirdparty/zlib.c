/* zlib: one-shot and streaming round trips, every strategy and wrapper, checksums, and damaged input. */
#include "data.h"
#include <zlib.h>

/*
 * zlib lets a program bring its own allocator (MY_ZCALLOC). This one clears memory: slide_hash() branches on entries of
 * `prev` that were never set ("garbage but its value will never be used"), which the VM rightly reports.
 */
voidpf zcalloc(voidpf opaque, unsigned items, unsigned size)
{
    (void)opaque;
    return calloc(items, size);
}

void zcfree(voidpf opaque, voidpf memory)
{
    (void)opaque;
    free(memory);
}

static unsigned char packed[DATA_SIZE + 4096], unpacked[DATA_SIZE + 16];

static void one_shot(int level)
{
    char how[32];
    uLongf packed_size = sizeof packed, unpacked_size = sizeof unpacked;
    check(compressBound(DATA_SIZE) <= sizeof packed, "compressBound");
    check(compress2(packed, &packed_size, data, DATA_SIZE, level) == Z_OK, "compress2");
    check(uncompress(unpacked, &unpacked_size, packed, packed_size) == Z_OK, "uncompress");
    snprintf(how, sizeof how, "zlib level %d", level);
    report(how, packed, packed_size, unpacked, unpacked_size);
}

/* Feeds and drains in small uneven pieces, so that every state of the two machines is left and entered again. */
static void streamed(const char *how, int level, int window, int memory, int strategy, size_t piece)
{
    z_stream z;
    memset(&z, 0, sizeof z);
    check(deflateInit2(&z, level, Z_DEFLATED, window, memory, strategy) == Z_OK, "deflateInit2");
    z.next_out = packed;
    z.avail_out = 0;
    size_t fed = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        if (z.avail_in == 0 && fed < DATA_SIZE) {
            z.next_in = data + fed;
            z.avail_in = (uInt)(piece < DATA_SIZE - fed ? piece : DATA_SIZE - fed);
            fed += z.avail_in;
        }
        if (z.avail_out == 0)
            z.avail_out = (uInt)(piece / 2 + 1);
        check(z.next_out + z.avail_out <= packed + sizeof packed, "packed data grew");
        status = deflate(&z, fed == DATA_SIZE ? Z_FINISH : fed % 3 ? Z_NO_FLUSH : Z_SYNC_FLUSH);
        check(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, "deflate");
    }
    size_t packed_size = z.total_out;
    check(deflateEnd(&z) == Z_OK, "deflateEnd");

    memset(&z, 0, sizeof z);
    check(inflateInit2(&z, window > 15 ? 47 : window) == Z_OK, "inflateInit2");
    z.next_in = packed;
    z.next_out = unpacked;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        if (z.avail_in == 0 && z.total_in < packed_size)
            z.avail_in = (uInt)(piece / 3 + 1 < packed_size - z.total_in ? piece / 3 + 1 : packed_size - z.total_in);
        if (z.avail_out == 0)
            z.avail_out = (uInt)(piece < sizeof unpacked - z.total_out ? piece : sizeof unpacked - z.total_out);
        status = inflate(&z, Z_NO_FLUSH);
        check(status == Z_OK || status == Z_STREAM_END, "inflate");
    }
    size_t unpacked_size = z.total_out;
    check(inflateEnd(&z) == Z_OK, "inflateEnd");
    report(how, packed, packed_size, unpacked, unpacked_size);
}

static void damaged(void)
{
    uLongf packed_size = sizeof packed, unpacked_size = sizeof unpacked;
    check(compress(packed, &packed_size, data, DATA_SIZE) == Z_OK, "compress");
    for (size_t at = 0; at < packed_size; at += packed_size / 7) {
        packed[at] ^= 0x55;
        unpacked_size = sizeof unpacked;
        int status = uncompress(unpacked, &unpacked_size, packed, packed_size);
        printf("damaged at %5zu: %d %s\n", at, status, zError(status));
        packed[at] ^= 0x55;
    }
    unpacked_size = sizeof unpacked;
    printf("cut short: %d\n", uncompress(unpacked, &unpacked_size, packed, packed_size / 2));
    unpacked_size = 100;
    printf("no room: %d\n", uncompress(unpacked, &unpacked_size, packed, packed_size));
}

int main(void)
{
    data_fill();
    printf("zlib %s, adler %08lx, crc %08lx\n", zlibVersion(), adler32(1, data, DATA_SIZE), crc32(0, data, DATA_SIZE));
    for (int level = 0; level <= 9; level += 3)
        one_shot(level);
    streamed("raw, tiny window", 6, -9, 1, Z_DEFAULT_STRATEGY, 1021);
    streamed("gzip", 9, 31, 9, Z_DEFAULT_STRATEGY, 7001);
    streamed("filtered", 5, 15, 8, Z_FILTERED, 4099);
    streamed("huffman only", 6, 15, 8, Z_HUFFMAN_ONLY, 16384);
    streamed("run lengths", 6, 15, 8, Z_RLE, 333);
    streamed("fixed codes", 2, 12, 4, Z_FIXED, 65536);
    damaged();
    return 0;
}
