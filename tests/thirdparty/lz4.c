/* LZ4: fast and high compression at several levels, a dictionary stream, the frame format, and damaged input. */
#include "data.h"
#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>

static char packed[LZ4_COMPRESSBOUND(DATA_SIZE) + 4096];
static char unpacked[DATA_SIZE + 16];

static void conclude(const char *how, int packed_size)
{
    check(packed_size > 0, how);
    int unpacked_size = LZ4_decompress_safe(packed, unpacked, packed_size, sizeof unpacked);
    check(unpacked_size > 0, "LZ4_decompress_safe");
    report(how, (unsigned char *)packed, (size_t)packed_size, (unsigned char *)unpacked, (size_t)unpacked_size);
}

/* Blocks of 4 KiB, each with the ones before it as its dictionary. */
static void chained(void)
{
    enum { BLOCK = 4096 };
    static LZ4_stream_t writer;
    static LZ4_streamDecode_t reader;
    LZ4_initStream(&writer, sizeof writer);
    LZ4_setStreamDecode(&reader, NULL, 0);
    size_t total = 0;
    for (size_t at = 0; at < DATA_SIZE; at += BLOCK) {
        int size = LZ4_compress_fast_continue(&writer, (char *)data + at, packed + total, BLOCK,
                                              (int)(sizeof packed - total), 1);
        check(size > 0, "LZ4_compress_fast_continue");
        int back = LZ4_decompress_safe_continue(&reader, packed + total, unpacked + at, size, BLOCK);
        check(back == BLOCK, "LZ4_decompress_safe_continue");
        total += (size_t)size;
    }
    report("lz4 chained blocks", (unsigned char *)packed, total, (unsigned char *)unpacked, DATA_SIZE);
}

static void framed(int level)
{
    char how[32];
    LZ4F_preferences_t wishes;
    memset(&wishes, 0, sizeof wishes);
    wishes.compressionLevel = level;
    wishes.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    wishes.frameInfo.blockChecksumFlag = LZ4F_blockChecksumEnabled;
    wishes.frameInfo.contentSize = DATA_SIZE;
    size_t packed_size = LZ4F_compressFrame(packed, sizeof packed, data, DATA_SIZE, &wishes);
    check(!LZ4F_isError(packed_size), "LZ4F_compressFrame");

    LZ4F_dctx *reader;
    check(!LZ4F_isError(LZ4F_createDecompressionContext(&reader, LZ4F_VERSION)), "LZ4F_createDecompressionContext");
    size_t in = 0, out = 0, hint = 1;
    while (hint != 0) {
        size_t taken = packed_size - in < 3001 ? packed_size - in : 3001, given = sizeof unpacked - out;
        hint = LZ4F_decompress(reader, unpacked + out, &given, packed + in, &taken, NULL);
        check(!LZ4F_isError(hint), "LZ4F_decompress");
        in += taken;
        out += given;
    }
    LZ4F_freeDecompressionContext(reader);
    snprintf(how, sizeof how, "lz4 frame level %d", level);
    report(how, (unsigned char *)packed, packed_size, (unsigned char *)unpacked, out);
}

static void damaged(void)
{
    int packed_size = LZ4_compress_default((char *)data, packed, DATA_SIZE, sizeof packed);
    check(packed_size > 0, "LZ4_compress_default");
    for (int at = 0; at < packed_size; at += packed_size / 7) {
        packed[at] ^= 0x55;
        int status = LZ4_decompress_safe(packed, unpacked, packed_size, DATA_SIZE);
        printf("damaged at %5d: %s\n", at, status < 0 ? "refused" : "not noticed");
        packed[at] ^= 0x55;
    }
    printf("cut short: %s\n", LZ4_decompress_safe(packed, unpacked, packed_size / 2, DATA_SIZE) < 0 ? "refused" : "taken");
    printf("no room: %s\n", LZ4_decompress_safe(packed, unpacked, packed_size, 100) < 0 ? "refused" : "taken");
}

int main(void)
{
    char how[32];
    data_fill();
    printf("lz4 %s\n", LZ4_versionString());
    for (int acceleration = 1; acceleration <= 16; acceleration *= 4) {
        snprintf(how, sizeof how, "lz4 acceleration %d", acceleration);
        conclude(how, LZ4_compress_fast((char *)data, packed, DATA_SIZE, sizeof packed, acceleration));
    }
    for (int level = 3; level <= 12; level += 3) {
        snprintf(how, sizeof how, "lz4 hc level %d", level);
        conclude(how, LZ4_compress_HC((char *)data, packed, DATA_SIZE, sizeof packed, level));
    }
    chained();
    framed(0);
    framed(9);
    damaged();
    return 0;
}
