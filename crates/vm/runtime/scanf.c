/* The scanf family. One engine reads a string or standard input; where the standard leaves the details of a failed
 * match open (0x without digits, 1e without an exponent), it consumes what glibc consumes.
 *
 * The system's headers may rename these functions to __isoc99_… or __isoc23_…: each name here is the symbol that it
 * says. Only the plain ones know the old `%as`, which allocates; only those of C23 know 0b. */
#include "tb_format.h"

#include <stdlib.h>
#include <wchar.h>

enum dialect { GNU, C99, C23 };

/* Memory that is not needed any more is freed at the very end: freeing is a visible operation, after which another
 * thread could take the rest of standard input. */
struct garbage {
    struct garbage *next;
};

struct input {
    const char *text; /* or NULL: */
    FILE *file;
    long count;
    struct garbage *garbage;
};

static void discard(struct input *in, void *memory)
{
    struct garbage *garbage = memory;
    garbage->next = in->garbage;
    in->garbage = garbage;
}

static void free_garbage(struct input *in)
{
    while (in->garbage) {
        struct garbage *next = in->garbage->next;
        free(in->garbage);
        in->garbage = next;
    }
}

INLINE int take(struct input *in)
{
    int c;
    if (in->text)
        c = *in->text ? (unsigned char)*in->text++ : EOF;
    else
        c = tb_getc(in->file);
    in->count += c != EOF;
    return c;
}

/* Gives the character back that was taken last. */
INLINE void give_back(struct input *in, int c)
{
    if (c == EOF)
        return;
    in->count--;
    if (in->text)
        in->text--;
    else
        in->file->_IO_read_ptr--;
}

static void skip_space(struct input *in)
{
    int c;
    do
        c = take(in);
    while (tb_is_space(c));
    give_back(in, c);
}

/* One conversion of the format. */
struct spec {
    int width;    /* -1: no limit */
    int position; /* of the argument, from 1; 0 for the next one */
    unsigned char conversion;
    unsigned char length;
    bool suppress, allocate;
    const char *set; /* %[ : after the bracket and ^ */
    bool inverted;
};

/* A match failed, the input ended before a match began, or it went well. */
enum outcome { MATCHED, MISMATCH, INPUT_END };

/* ---- the format ---- */

/* The end of a set: a bracket that comes first is a member. NULL if there is none. */
static const char *set_end(const char *set)
{
    if (*set == ']')
        set++;
    while (*set && *set != ']')
        set++;
    return *set ? set : NULL;
}

static const char *read_number(const char *p, int *number)
{
    *number = 0;
    for (; tb_is_digit(*p); p++)
        *number = *number > (INT_MAX - 9) / 10 ? INT_MAX / 10 * 10 : *number * 10 + (*p - '0');
    return p;
}

/* Reads what follows a `%`: the rest of the format, or NULL if it makes no sense. */
static const char *read_spec(const char *p, struct spec *spec, enum dialect dialect)
{
    *spec = (struct spec){.width = -1};
    int number;
    const char *end = read_number(p, &number);
    if (*end == '$') {
        spec->position = number;
        p = end + 1;
    }
    for (;; p++)
        if (*p == '*')
            spec->suppress = true;
        else if (*p != '\'' && *p != 'I')
            break;
    p = read_number(p, &number);
    if (number)
        spec->width = number;
    if (*p == 'm' || (dialect == GNU && *p == 'a' && (p[1] == 's' || p[1] == 'S' || p[1] == '['))) {
        spec->allocate = true;
        p++;
    }
    p = tb_read_length(p, &spec->length);
    spec->conversion = (unsigned char)*p;
    if (!*p)
        return NULL;
    p++;
    if (spec->conversion == '[') {
        spec->inverted = *p == '^';
        spec->set = p + spec->inverted;
        p = set_end(spec->set);
        return p ? p + 1 : NULL;
    }
    return p;
}

/* ---- integers ---- */

INLINE void use_width(int *width)
{
    if (*width > 0)
        --*width;
}

/* (nil), which %p reads as printf writes it. The parenthesis has been taken. */
static bool match_nil(struct input *in)
{
    for (const char *p = "nil)"; *p; p++) {
        int c = take(in);
        if (c != *p) {
            give_back(in, c);
            return false;
        }
    }
    return true;
}

/* 0: as its prefix says. */
static unsigned base_of(unsigned char conversion)
{
    switch (conversion) {
    case 'i':
        return 0;
    case 'o':
        return 8;
    case 'b':
        return 2;
    case 'd':
    case 'u':
        return 10;
    default:
        return 16;
    }
}

/* Reads an integer as strtol or strtoul would, saturating. */
static enum outcome scan_integer(struct input *in, const struct spec *spec, unsigned base, bool is_signed, bool binary,
                                 uint64_t *result)
{
    int width = spec->width, c = take(in);
    bool negative = c == '-', any = false, overflow = false;
    if (c == EOF)
        return INPUT_END;
    bool sign = c == '-' || c == '+';
    if (sign) {
        use_width(&width);
        c = take(in);
    }
    if (width != 0 && c == '0') {
        any = true;
        use_width(&width);
        c = take(in);
        if (width != 0 && (c | 32) == 'x' && (base == 0 || base == 16)) {
            base = 16;
            use_width(&width);
            c = take(in);
        } else if (binary && width != 0 && (c | 32) == 'b' && (base == 0 || base == 2)) {
            base = 2;
            use_width(&width);
            c = take(in);
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0)
        base = 10;
    uint64_t limit = is_signed ? (uint64_t)INT64_MAX + negative : UINT64_MAX, value = 0;
    uint64_t cutoff = limit / base, last = limit % base;
    for (unsigned digit; width != 0 && (digit = tb_digit_value(c)) < base; c = take(in)) {
        any = true;
        use_width(&width);
        if (value > cutoff || (value == cutoff && digit > last))
            overflow = true;
        value = value * base + digit;
    }
    if (!any && !sign && spec->conversion == 'p' && (width < 0 || width >= 5) && c == '(') {
        *result = 0;
        return match_nil(in) ? MATCHED : MISMATCH;
    }
    give_back(in, c);
    if (!any)
        return MISMATCH;
    if (overflow) {
        errno = ERANGE;
        value = limit;
        negative = negative && is_signed;
    }
    *result = negative ? -value : value;
    return MATCHED;
}

static void store_integer(const struct spec *spec, void *to, uint64_t value)
{
    if (spec->length == CHAR)
        *(unsigned char *)to = (unsigned char)value;
    else if (spec->length == SHORT)
        *(unsigned short *)to = (unsigned short)value;
    else if (spec->length == INT)
        *(unsigned *)to = (unsigned)value;
    else
        *(uint64_t *)to = value;
}

/* ---- text that grows ---- */

/* Where characters go: an array of the program, or memory of our own that grows. Characters are char or wchar_t. */
struct text {
    char *start;
    size_t length, size; /* in characters; size 0: the program's array, whose size nobody knows */
    bool wide;
    bool suppressed;
    bool allocated; /* start is a block of its own */
    bool failed;
    struct input *in;
};

/* Copies the text into a block of that many characters. One that it grows out of is large enough to be garbage. */
static char *move_text(struct text *text, size_t size)
{
    size_t unit = text->wide ? sizeof(wchar_t) : 1;
    char *moved = malloc(size * unit);
    if (!moved)
        return NULL;
    tb_copy(moved, text->start, text->length * unit);
    if (text->allocated)
        discard(text->in, text->start);
    return moved;
}

static void grow(struct text *text)
{
    char *moved = move_text(text, text->size * 2);
    if (!moved) {
        text->failed = true;
        return;
    }
    text->start = moved;
    text->size *= 2;
    text->allocated = true;
}

INLINE void add(struct text *text, int c)
{
    if (text->suppressed)
        return;
    if (text->size && text->length == text->size)
        grow(text);
    if (text->failed)
        return;
    if (text->wide)
        ((wchar_t *)text->start)[text->length++] = c;
    else
        text->start[text->length++] = (char)c;
}

/* ---- floating point ---- */

/* Takes the letters of `word`, in any case. A letter that does not match is not given back, as in glibc. */
static bool match_word(struct input *in, int *width, struct text *token, const char *word)
{
    for (; *word; word++) {
        if (*width == 0)
            return false;
        int c = take(in);
        if (c == EOF || tb_lower(c) != *word)
            return false;
        use_width(width);
        add(token, c);
    }
    return true;
}

static enum outcome match_infinity(struct input *in, int *width, struct text *token)
{
    if (!match_word(in, width, token, "nf"))
        return MISMATCH;
    if (*width == 0)
        return MATCHED;
    int c = take(in);
    if (tb_lower(c) != 'i') {
        give_back(in, c);
        return MATCHED;
    }
    use_width(width);
    add(token, c);
    return match_word(in, width, token, "nity") ? MATCHED : MISMATCH;
}

/* The digits, the point and the exponent of a number whose first character is c. */
static void scan_digits(struct input *in, int c, int width, struct text *token, bool hex, bool digit)
{
    bool point = false, exponent = false, just_now = false;
    for (;;) {
        bool was_exponent = just_now;
        just_now = false;
        if (tb_is_digit(c) || (hex && !exponent && tb_digit_value(c) < 16)) {
            digit = true;
        } else if (digit && !exponent && tb_lower(c) == (hex ? 'p' : 'e')) {
            exponent = point = just_now = true;
        } else if (c == '.' && !point) {
            point = true;
        } else if (!was_exponent || (c != '-' && c != '+')) {
            give_back(in, c);
            return;
        }
        add(token, c);
        if (width == 0 || (c = take(in)) == EOF)
            return;
        use_width(&width);
    }
}

/* Collects the text of a number. */
static enum outcome scan_float_text(struct input *in, int width, struct text *token)
{
    int c = take(in);
    if (c == EOF)
        return INPUT_END;
    use_width(&width);
    size_t sign = c == '-' || c == '+';
    if (sign) {
        add(token, c);
        if (width == 0 || (c = take(in)) == EOF)
            return MISMATCH;
        use_width(&width);
    }
    if (tb_lower(c) == 'n') {
        add(token, c);
        return match_word(in, &width, token, "an") ? MATCHED : MISMATCH;
    }
    if (tb_lower(c) == 'i') {
        add(token, c);
        return match_infinity(in, &width, token);
    }
    bool hex = false, digit = false;
    if (c == '0' && width != 0) {
        add(token, c);
        digit = true;
        if ((c = take(in)) == EOF)
            return MATCHED;
        use_width(&width);
        if (width != 0 && (c | 32) == 'x') {
            hex = true;
            digit = false;
            add(token, c);
            if ((c = take(in)) == EOF)
                return MISMATCH;
            use_width(&width);
        }
    }
    scan_digits(in, c, width, token, hex, digit);
    return token->length == sign || (hex && token->length == sign + 2) ? MISMATCH : MATCHED;
}

static enum outcome scan_float(struct input *in, const struct spec *spec, void *to)
{
    char local[64];
    struct text token = {.start = local, .size = sizeof local, .in = in};
    enum outcome outcome = scan_float_text(in, spec->width, &token);
    add(&token, 0);
    if (token.failed)
        outcome = INPUT_END;
    if (outcome == MATCHED) {
        const char *end;
        if (spec->length == LONG_LONG) {
            long double value = __tbi_parse_long_double(token.start, &end);
            if (to && end != token.start)
                *(long double *)to = value;
        } else if (spec->length == LONG) {
            double value = __tbi_parse_double(token.start, &end);
            if (to && end != token.start)
                *(double *)to = value;
        } else {
            float value = __tbi_parse_float(token.start, &end);
            if (to && end != token.start)
                *(float *)to = value;
        }
        if (end == token.start)
            outcome = MISMATCH;
    }
    if (token.allocated)
        discard(in, token.start);
    return outcome;
}

/* ---- characters ---- */

struct set {
    uint64_t bits[4];
};

static void put_in(struct set *set, unsigned c) { set->bits[c / 64] |= (uint64_t)1 << c % 64; }

static bool is_in(const struct set *set, unsigned c) { return set->bits[c / 64] >> c % 64 & 1; }

/* The members of a set up to its closing bracket; a-z is a range unless it runs backwards. */
static struct set read_set(const char *p, bool inverted)
{
    struct set set = {{0}};
    const char *end = set_end(p);
    for (const char *q = p; q < end; q++) {
        unsigned c = (unsigned char)*q;
        if (c == '-' && q > p && q + 1 < end && (unsigned char)q[-1] <= (unsigned char)q[1])
            for (unsigned k = (unsigned char)q[-1]; k <= (unsigned char)q[1]; k++)
                put_in(&set, k);
        else
            put_in(&set, c);
    }
    for (int i = 0; inverted && i < 4; i++)
        set.bits[i] = ~set.bits[i];
    return set;
}

/* Takes characters that are wanted: any for %c, others than space for %s, those of the set for %[. */
static enum outcome scan_characters(struct input *in, const struct spec *spec, struct text *to)
{
    bool counted = (spec->conversion | 32) == 'c';
    struct set set;
    if (spec->conversion == '[')
        set = read_set(spec->set, spec->inverted);
    int width = spec->width < 0 ? (counted ? 1 : INT_MAX) : spec->width, taken = 0, c = 0;
    for (; taken < width && (c = take(in)) != EOF; taken++) {
        if (!counted && (spec->conversion == '[' ? !is_in(&set, (unsigned)c) : tb_is_space(c))) {
            give_back(in, c);
            break;
        }
        if (to->wide && c >= 0x80) {
            errno = EILSEQ;
            return MISMATCH;
        }
        add(to, c);
    }
    if (taken == 0)
        return c == EOF ? INPUT_END : MISMATCH;
    if (!counted)
        add(to, 0);
    return to->failed ? INPUT_END : MATCHED;
}

/* %s %c %[ and their wide and allocating forms. `to` is the array, or the pointer that gets a new one. */
static enum outcome scan_text(struct input *in, const struct spec *spec, void *to)
{
    bool wide = spec->length >= LONG || spec->conversion == 'S' || spec->conversion == 'C';
    struct text text = {.wide = wide, .suppressed = spec->suppress, .in = in};
    if (!spec->allocate || spec->suppress) {
        text.start = to;
        return scan_characters(in, spec, &text);
    }
    wchar_t local[32];
    text.start = (char *)local;
    text.size = 32;
    enum outcome outcome = scan_characters(in, spec, &text);
    char *exact = outcome == MATCHED ? move_text(&text, text.length) : NULL;
    if (exact)
        *(char **)to = exact;
    else if (text.allocated)
        discard(in, text.start);
    return outcome == MATCHED && !exact ? INPUT_END : outcome;
}

/* ---- the engine ---- */

static enum outcome convert(struct input *in, const struct spec *spec, void *to, enum dialect dialect)
{
    uint64_t value;
    switch (spec->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'p': {
        bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
        enum outcome outcome = scan_integer(in, spec, base_of(spec->conversion), is_signed, dialect == C23, &value);
        if (outcome == MATCHED && to) {
            if (spec->conversion == 'p')
                *(void **)to = (void *)(uintptr_t)value;
            else
                store_integer(spec, to, value);
        }
        return outcome;
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return scan_float(in, spec, to);
    case 's':
    case 'S':
    case 'c':
    case 'C':
    case '[':
        return scan_text(in, spec, to);
    case '%': {
        int c = take(in);
        if (c == '%')
            return MATCHED;
        give_back(in, c);
        return c == EOF ? INPUT_END : MISMATCH;
    }
    default:
        return MISMATCH;
    }
}

/* The n-th argument, from 1. All of them are pointers. */
static void *argument_at(int n, va_list list)
{
    va_list from;
    va_copy(from, list);
    void *argument;
    do
        argument = va_arg(from, void *);
    while (--n > 0);
    va_end(from);
    return argument;
}

/* A numbered argument is counted from `list`, the next one comes from `rest`. */
static int scan_arguments(struct input *in, const char *format, va_list list, va_list rest, enum dialect dialect)
{
    int done = 0;
    bool space = false;
    while (*format) {
        if (tb_is_space(*format)) {
            space = true;
            format++;
            continue;
        }
        struct spec spec = {.conversion = 0};
        if (*format == '%' && !(format = read_spec(format + 1, &spec, dialect)))
            return done;
        unsigned char kind = spec.conversion;
        if (space || (kind && kind != '[' && (kind | 32) != 'c' && kind != 'n'))
            skip_space(in);
        space = false;
        if (!kind) {
            int c = take(in);
            if (c == (unsigned char)*format++)
                continue;
            give_back(in, c);
            return c == EOF && done == 0 ? EOF : done;
        }
        void *to = NULL;
        if (!spec.suppress && kind != '%')
            to = spec.position ? argument_at(spec.position, list) : va_arg(rest, void *);
        if (kind == 'n') {
            if (to)
                store_integer(&spec, to, (uint64_t)in->count);
            continue;
        }
        enum outcome outcome = convert(in, &spec, to, dialect);
        if (outcome != MATCHED)
            return outcome == INPUT_END && done == 0 ? EOF : done;
        done += to != NULL;
    }
    if (space)
        skip_space(in);
    return done;
}

static int scan(struct input *in, const char *format, va_list list, enum dialect dialect)
{
    va_list rest;
    va_copy(rest, list);
    int done = scan_arguments(in, format, list, rest, dialect);
    va_end(rest);
    return done;
}

static int scan_string(const char *text, const char *format, va_list list, enum dialect dialect)
{
    struct input in = {text, NULL, 0, NULL};
    int done = scan(&in, format, list, dialect);
    free_garbage(&in);
    return done;
}

static int scan_stream(FILE *file, const char *format, va_list list, enum dialect dialect)
{
    struct input in = {NULL, __tbi_input(file), 0, NULL};
    if (!in.file)
        return EOF;
    int done = scan(&in, format, list, dialect);
    tb_read_done(in.file);
    free_garbage(&in);
    return done;
}

/* The six functions of a dialect: `id` is only for the compiler, the symbols start with `prefix`. */
#define WITH_LIST(last, call)                                                                                          \
    va_list list;                                                                                                      \
    va_start(list, last);                                                                                              \
    int result = call;                                                                                                 \
    va_end(list);                                                                                                      \
    return result

#define FAMILY(id, prefix, dialect)                                                                                    \
    int id##vsscanf(const char *restrict, const char *restrict, va_list) __asm__(prefix "vsscanf");                    \
    int id##vfscanf(FILE *restrict, const char *restrict, va_list) __asm__(prefix "vfscanf");                          \
    int id##vscanf(const char *restrict, va_list) __asm__(prefix "vscanf");                                            \
    int id##sscanf(const char *restrict, const char *restrict, ...) __asm__(prefix "sscanf");                          \
    int id##fscanf(FILE *restrict, const char *restrict, ...) __asm__(prefix "fscanf");                                \
    int id##scanf(const char *restrict, ...) __asm__(prefix "scanf");                                                  \
    int id##vsscanf(const char *restrict text, const char *restrict format, va_list list)                              \
    {                                                                                                                  \
        return scan_string(text, format, list, dialect);                                                               \
    }                                                                                                                  \
    int id##vfscanf(FILE *restrict file, const char *restrict format, va_list list)                                    \
    {                                                                                                                  \
        return scan_stream(file, format, list, dialect);                                                               \
    }                                                                                                                  \
    int id##vscanf(const char *restrict format, va_list list) { return scan_stream(stdin, format, list, dialect); }    \
    int id##sscanf(const char *restrict text, const char *restrict format, ...)                                        \
    {                                                                                                                  \
        WITH_LIST(format, scan_string(text, format, list, dialect));                                                   \
    }                                                                                                                  \
    int id##fscanf(FILE *restrict file, const char *restrict format, ...)                                              \
    {                                                                                                                  \
        WITH_LIST(format, scan_stream(file, format, list, dialect));                                                   \
    }                                                                                                                  \
    int id##scanf(const char *restrict format, ...) { WITH_LIST(format, scan_stream(stdin, format, list, dialect)); }

FAMILY(gnu_, "", GNU)
FAMILY(c99_, "__isoc99_", C99)
FAMILY(c23_, "__isoc23_", C23)
