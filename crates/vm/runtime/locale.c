/* <locale.h> and <langinfo.h>: there is the C locale, and no other. */
#include "tb_internal.h"

#include <langinfo.h>
#include <locale.h>

static bool is_c(const char *name)
{
    return !*name || !tb_strcmp(name, "C") || !tb_strcmp(name, "POSIX");
}

char *setlocale(int category, const char *name)
{
    if (category < LC_CTYPE || category > LC_IDENTIFICATION) {
        errno = EINVAL;
        return NULL;
    }
    return name && !is_c(name) ? NULL : (char *)"C";
}

/* glibc fills a static object; what it holds never changes here, so there is nothing to race on. */
struct lconv *localeconv(void)
{
    static const struct lconv c = {
        .decimal_point = (char *)".",
        .thousands_sep = (char *)"",
        .grouping = (char *)"",
        .int_curr_symbol = (char *)"",
        .currency_symbol = (char *)"",
        .mon_decimal_point = (char *)"",
        .mon_thousands_sep = (char *)"",
        .mon_grouping = (char *)"",
        .positive_sign = (char *)"",
        .negative_sign = (char *)"",
        .int_frac_digits = CHAR_MAX,
        .frac_digits = CHAR_MAX,
        .p_cs_precedes = CHAR_MAX,
        .p_sep_by_space = CHAR_MAX,
        .n_cs_precedes = CHAR_MAX,
        .n_sep_by_space = CHAR_MAX,
        .p_sign_posn = CHAR_MAX,
        .n_sign_posn = CHAR_MAX,
        .int_p_cs_precedes = CHAR_MAX,
        .int_p_sep_by_space = CHAR_MAX,
        .int_n_cs_precedes = CHAR_MAX,
        .int_n_sep_by_space = CHAR_MAX,
        .int_p_sign_posn = CHAR_MAX,
        .int_n_sign_posn = CHAR_MAX,
    };
    return (struct lconv *)&c;
}

/* Texts one after the other, for numbered items from `first` on. */
struct texts {
    nl_item first, last;
    const char *list;
};

static const struct texts texts[] = {
    {ABDAY_1, ABDAY_7, "Sun\0Mon\0Tue\0Wed\0Thu\0Fri\0Sat"},
    {DAY_1, DAY_7, "Sunday\0Monday\0Tuesday\0Wednesday\0Thursday\0Friday\0Saturday"},
    {ABMON_1, ABMON_12, "Jan\0Feb\0Mar\0Apr\0May\0Jun\0Jul\0Aug\0Sep\0Oct\0Nov\0Dec"},
    {MON_1, MON_12, "January\0February\0March\0April\0May\0June\0July\0August\0September\0October\0November\0December"},
    {AM_STR, PM_STR, "AM\0PM"},
    {D_T_FMT, T_FMT_AMPM, "%a %b %e %H:%M:%S %Y\0%m/%d/%y\0%H:%M:%S\0%I:%M:%S %p"},
    {CODESET, CODESET, "ANSI_X3.4-1968"},
    {RADIXCHAR, THOUSEP, ".\0"},
    {YESEXPR, NOEXPR, "^[yY]\0^[nN]"},
    {CRNCYSTR, CRNCYSTR, "-"},
};

static char *item_text(nl_item item)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (item < texts[i].first || item > texts[i].last)
            continue;
        const char *text = texts[i].list;
        for (nl_item k = texts[i].first; k < item; k++)
            text += tb_strlen(text) + 1;
        return (char *)text;
    }
    return (char *)"";
}

char *nl_langinfo(nl_item item) { return item_text(item); }

char *nl_langinfo_l(nl_item item, locale_t locale)
{
    (void)locale;
    return item_text(item);
}

/* The only locale object. Nothing looks into it. */
static struct __locale_struct c_locale = {.__names = {"C"}};

locale_t newlocale(int categories, const char *name, locale_t base)
{
    (void)categories;
    (void)base;
    if (!is_c(name)) {
        errno = ENOENT;
        return NULL;
    }
    return &c_locale;
}

locale_t duplocale(locale_t locale) { return locale; }

void freelocale(locale_t locale) { (void)locale; }

/* Every thread uses the C locale, and one that never set it the global one, which is the same. */
locale_t uselocale(locale_t locale)
{
    static _Thread_local locale_t current = LC_GLOBAL_LOCALE;
    locale_t before = current;
    if (locale)
        current = locale;
    return before;
}
