/* bzip2: one-shot round trips at three block sizes, a streamed one, and damaged input. */
#include "data.h"
#include <bzlib.h>

static char packed[DATA_SIZE + DATA_SIZE / 100 + 1024];
static char unpacked[DATA_SIZE + 16];

/* The library is built without stdio and calls this when an invariant of its own breaks. */
void bz_internal_error(int code)
{
    printf("FAILED: bzip2 internal error %d\n", code);
    exit(1);
}

static void one_shot(int blocks, int work, int small)
{
    char how[32];
    unsigned packed_size = sizeof packed, unpacked_size = sizeof unpacked;
    check(BZ2_bzBuffToBuffCompress(packed, &packed_size, (char *)data, DATA_SIZE, blocks, 0, work) == BZ_OK, "compress");
    check(BZ2_bzBuffToBuffDecompress(unpacked, &unpacked_size, packed, packed_size, small, 0) == BZ_OK, "decompress");
    snprintf(how, sizeof how, "bzip2 -%d work %d%s", blocks, work, small ? " small" : "");
    report(how, (unsigned char *)packed, packed_size, (unsigned char *)unpacked, unpacked_size);
}

static void streamed(void)
{
    bz_stream z;
    memset(&z, 0, sizeof z);
    check(BZ2_bzCompressInit(&z, 1, 0, 0) == BZ_OK, "BZ2_bzCompressInit");
    z.next_out = packed;
    unsigned fed = 0;
    for (int status = BZ_RUN_OK; status != BZ_STREAM_END;) {
        if (z.avail_in == 0 && fed < DATA_SIZE) {
            z.next_in = (char *)data + fed;
            z.avail_in = fed + 5003 < DATA_SIZE ? 5003 : DATA_SIZE - fed;
            fed += z.avail_in;
        }
        if (z.avail_out == 0)
            z.avail_out = 1009;
        check(z.next_out + z.avail_out <= packed + sizeof packed, "packed data grew");
        status = BZ2_bzCompress(&z, fed == DATA_SIZE ? BZ_FINISH : BZ_RUN);
        check(status >= BZ_OK, "BZ2_bzCompress");
    }
    unsigned packed_size = z.total_out_lo32;
    check(BZ2_bzCompressEnd(&z) == BZ_OK, "BZ2_bzCompressEnd");

    memset(&z, 0, sizeof z);
    check(BZ2_bzDecompressInit(&z, 0, 0) == BZ_OK, "BZ2_bzDecompressInit");
    z.next_in = packed;
    z.next_out = unpacked;
    for (int status = BZ_OK; status != BZ_STREAM_END;) {
        if (z.avail_in == 0)
            z.avail_in = z.total_in_lo32 + 700 < packed_size ? 700 : packed_size - z.total_in_lo32;
        if (z.avail_out == 0)
            z.avail_out = z.total_out_lo32 + 4000 < sizeof unpacked ? 4000 : sizeof unpacked - z.total_out_lo32;
        status = BZ2_bzDecompress(&z);
        check(status == BZ_OK || status == BZ_STREAM_END, "BZ2_bzDecompress");
    }
    unsigned unpacked_size = z.total_out_lo32;
    check(BZ2_bzDecompressEnd(&z) == BZ_OK, "BZ2_bzDecompressEnd");
    report("streamed", (unsigned char *)packed, packed_size, (unsigned char *)unpacked, unpacked_size);
}

static void damaged(void)
{
    unsigned packed_size = sizeof packed;
    check(BZ2_bzBuffToBuffCompress(packed, &packed_size, (char *)data, DATA_SIZE, 1, 0, 0) == BZ_OK, "compress");
    for (unsigned at = 0; at < packed_size; at += packed_size / 5) {
        unsigned unpacked_size = sizeof unpacked;
        packed[at] ^= 0x55;
        printf("damaged at %5u: %d\n", at,
               BZ2_bzBuffToBuffDecompress(unpacked, &unpacked_size, packed, packed_size, 0, 0));
        packed[at] ^= 0x55;
    }
    unsigned unpacked_size = 100;
    printf("no room: %d\n", BZ2_bzBuffToBuffDecompress(unpacked, &unpacked_size, packed, packed_size, 0, 0));
}

int main(void)
{
    data_fill();
    printf("bzip2 %s\n", BZ2_bzlibVersion());
    one_shot(1, 0, 0);
    one_shot(5, 1, 1);
    one_shot(9, 30, 0);
    streamed();
    damaged();
    return 0;
}
