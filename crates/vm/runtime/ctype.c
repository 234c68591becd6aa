/* <ctype.h> in the C locale, by the tables that the header's macros use. As in glibc the tables reach from -128 to 255:
 * an argument beyond that is undefined in C, and here an access out of bounds that is reported. */
#include "tb_internal.h"

#include <ctype.h>

enum {
    CONTROL = (unsigned short)_IScntrl,
    SPACE = (unsigned short)_ISspace,
    BLANK = (unsigned short)_ISblank,
    PRINT = (unsigned short)_ISprint,
    VISIBLE = (unsigned short)(_ISprint | _ISgraph),
    PUNCTUATION = (unsigned short)(VISIBLE | _ISpunct),
    DIGIT = (unsigned short)(VISIBLE | _ISdigit | _ISxdigit | _ISalnum),
    LETTER = (unsigned short)(VISIBLE | _ISalpha | _ISalnum),
    UPPER = (unsigned short)(LETTER | _ISupper),
    LOWER = (unsigned short)(LETTER | _ISlower),
    HEX = (unsigned short)_ISxdigit,
};

static const unsigned short class_table[384] = {
    [128 + 0 ... 128 + 8] = CONTROL,
    [128 + '\t'] = CONTROL | SPACE | BLANK,
    [128 + '\n' ... 128 + '\r'] = CONTROL | SPACE,
    [128 + 14 ... 128 + 31] = CONTROL,
    [128 + ' '] = SPACE | BLANK | PRINT,
    [128 + '!' ... 128 + '/'] = PUNCTUATION,
    [128 + '0' ... 128 + '9'] = DIGIT,
    [128 + ':' ... 128 + '@'] = PUNCTUATION,
    [128 + 'A' ... 128 + 'F'] = UPPER | HEX,
    [128 + 'G' ... 128 + 'Z'] = UPPER,
    [128 + '[' ... 128 + '`'] = PUNCTUATION,
    [128 + 'a' ... 128 + 'f'] = LOWER | HEX,
    [128 + 'g' ... 128 + 'z'] = LOWER,
    [128 + '{' ... 128 + '~'] = PUNCTUATION,
    [128 + 127] = CONTROL,
};

/* The 384 values of a mapping from its value for one byte. */
#define ROW4(f, c) f(c), f((c) + 1), f((c) + 2), f((c) + 3)
#define ROW16(f, c) ROW4(f, c), ROW4(f, (c) + 4), ROW4(f, (c) + 8), ROW4(f, (c) + 12)
#define ROW64(f, c) ROW16(f, c), ROW16(f, (c) + 16), ROW16(f, (c) + 32), ROW16(f, (c) + 48)
/* A negative char is the byte that it stands for, but for -1, which is EOF. */
#define BYTE(c) ((c) < -1 ? (c) + 256 : (c))
#define TO_LOWER(c) ((c) >= 'A' && (c) <= 'Z' ? (c) + 32 : BYTE(c))
#define TO_UPPER(c) ((c) >= 'a' && (c) <= 'z' ? (c) - 32 : BYTE(c))
#define TABLE(f) {ROW64(f, -128), ROW64(f, -64), ROW64(f, 0), ROW64(f, 64), ROW64(f, 128), ROW64(f, 192)}

static const int32_t lower_table[384] = TABLE(TO_LOWER);
static const int32_t upper_table[384] = TABLE(TO_UPPER);

static const unsigned short *const class_of = class_table + 128;
static const int32_t *const lower_of = lower_table + 128;
static const int32_t *const upper_of = upper_table + 128;

const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&class_of; }
const int32_t **__ctype_tolower_loc(void) { return (const int32_t **)&lower_of; }
const int32_t **__ctype_toupper_loc(void) { return (const int32_t **)&upper_of; }

size_t __ctype_get_mb_cur_max(void) { return 1; }

#define CLASS(name, bit)                                                                                               \
    int(name)(int c) { return class_of[c] & (unsigned short)(bit); }                                                   \
    int(name##_l)(int c, locale_t locale)                                                                              \
    {                                                                                                                  \
        (void)locale;                                                                                                  \
        return class_of[c] & (unsigned short)(bit);                                                                    \
    }

CLASS(isalnum, _ISalnum)
CLASS(isalpha, _ISalpha)
CLASS(isblank, _ISblank)
CLASS(iscntrl, _IScntrl)
CLASS(isdigit, _ISdigit)
CLASS(isgraph, _ISgraph)
CLASS(islower, _ISlower)
CLASS(isprint, _ISprint)
CLASS(ispunct, _ISpunct)
CLASS(isspace, _ISspace)
CLASS(isupper, _ISupper)
CLASS(isxdigit, _ISxdigit)

/* glibc's functions give back an argument that is out of range. */
INLINE int convert(const int32_t *table, int c) { return c >= -128 && c < 256 ? table[c] : c; }

int(tolower)(int c) { return convert(lower_of, c); }
int(toupper)(int c) { return convert(upper_of, c); }
int(_tolower)(int c) { return lower_of[c]; }
int(_toupper)(int c) { return upper_of[c]; }

int(tolower_l)(int c, locale_t locale)
{
    (void)locale;
    return convert(lower_of, c);
}

int(toupper_l)(int c, locale_t locale)
{
    (void)locale;
    return convert(upper_of, c);
}

int(isascii)(int c) { return (c & ~127) == 0; }
int(toascii)(int c) { return c & 127; }
