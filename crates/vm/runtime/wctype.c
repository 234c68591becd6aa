/* <wctype.h> in the C locale: ASCII has properties, nothing else has. */
#include "tb_internal.h"

#include <ctype.h>
#include <wctype.h>

/* The bits of an ASCII character in the table of ctype.c. */
INLINE int bits(wint_t c, int class) { return c < 0x80 ? (*__ctype_b_loc())[c] & (unsigned short)class : 0; }

#define CLASS(name, class)                                                                                             \
    int name(wint_t c) { return bits(c, class); }                                                                      \
    int name##_l(wint_t c, locale_t locale)                                                                            \
    {                                                                                                                  \
        (void)locale;                                                                                                  \
        return bits(c, class);                                                                                         \
    }

CLASS(iswalnum, _ISalnum)
CLASS(iswalpha, _ISalpha)
CLASS(iswblank, _ISblank)
CLASS(iswcntrl, _IScntrl)
CLASS(iswdigit, _ISdigit)
CLASS(iswgraph, _ISgraph)
CLASS(iswlower, _ISlower)
CLASS(iswprint, _ISprint)
CLASS(iswpunct, _ISpunct)
CLASS(iswspace, _ISspace)
CLASS(iswupper, _ISupper)
CLASS(iswxdigit, _ISxdigit)

wint_t towlower(wint_t c) { return c - 'A' < 26 ? c + 32 : c; }
wint_t towupper(wint_t c) { return c - 'a' < 26 ? c - 32 : c; }

static const struct {
    char name[8];
    unsigned short class;
} classes[] = {
    {"alnum", (unsigned short)_ISalnum}, {"alpha", (unsigned short)_ISalpha}, {"blank", (unsigned short)_ISblank},
    {"cntrl", (unsigned short)_IScntrl}, {"digit", (unsigned short)_ISdigit}, {"graph", (unsigned short)_ISgraph},
    {"lower", (unsigned short)_ISlower}, {"print", (unsigned short)_ISprint}, {"punct", (unsigned short)_ISpunct},
    {"space", (unsigned short)_ISspace}, {"upper", (unsigned short)_ISupper}, {"xdigit", (unsigned short)_ISxdigit},
};

/* A descriptor is the bit itself. */
wctype_t wctype(const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (!tb_strcmp(name, classes[i].name))
            return classes[i].class;
    return 0;
}

int iswctype(wint_t c, wctype_t type) { return bits(c, (int)type); }

static const int32_t to_lower = 'l', to_upper = 'u';

wctrans_t wctrans(const char *name)
{
    return !tb_strcmp(name, "tolower") ? &to_lower : !tb_strcmp(name, "toupper") ? &to_upper : NULL;
}

wint_t towctrans(wint_t c, wctrans_t mapping)
{
    if (!mapping)
        return c;
    return *mapping == 'l' ? (c - 'A' < 26 ? c + 32 : c) : (c - 'a' < 26 ? c - 32 : c);
}
