/* What the formats of printf and scanf have in common. */
#ifndef TB_FORMAT_H
#define TB_FORMAT_H

#include "tb_internal.h"

enum length { INT, CHAR, SHORT, LONG, LONG_LONG };

/* Reads the length modifier of a conversion, if it has one; gives the rest of the format. */
INLINE const char *tb_read_length(const char *p, unsigned char *length)
{
    switch (*p) {
    case 'h':
        *length = p[1] == 'h' ? CHAR : SHORT;
        return p[1] == 'h' ? p + 2 : p + 1;
    case 'l':
        *length = p[1] == 'l' ? LONG_LONG : LONG;
        return p[1] == 'l' ? p + 2 : p + 1;
    case 'L':
    case 'q':
        *length = LONG_LONG;
        return p + 1;
    case 'j':
    case 'z':
    case 'Z':
    case 't':
        *length = LONG;
        return p + 1;
    default:
        return p;
    }
}

#endif
