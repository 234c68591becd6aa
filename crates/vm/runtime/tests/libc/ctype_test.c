/* <ctype.h>: all arguments, through the functions and through the tables that the macros use. */
#include "harness.h"

#include <ctype.h>

OURS(__ctype_b_loc);
OURS(__ctype_tolower_loc);
OURS(__ctype_toupper_loc);
OURS(tolower);
OURS(toupper);
OURS(toascii);
OURS(isascii);

#define CLASS(name)                                                                                                    \
    extern int tb_##name(int);                                                                                         \
    static int their_##name(int c) { return (name)(c); }
CLASS(isalnum) CLASS(isalpha) CLASS(isblank) CLASS(iscntrl) CLASS(isdigit) CLASS(isgraph)
CLASS(islower) CLASS(isprint) CLASS(ispunct) CLASS(isspace) CLASS(isupper) CLASS(isxdigit)

void test_ctype(void)
{
    static const struct {
        int (*theirs)(int), (*ours)(int);
        const char *name;
    } classes[] = {
#define ROW(name) {their_##name, tb_##name, #name},
        ROW(isalnum) ROW(isalpha) ROW(isblank) ROW(iscntrl) ROW(isdigit) ROW(isgraph)
        ROW(islower) ROW(isprint) ROW(ispunct) ROW(isspace) ROW(isupper) ROW(isxdigit)};
    for (int c = -128; c < 256; c++) {
        for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
            CHECK(classes[i].theirs(c) == classes[i].ours(c), "%s(%d)", classes[i].name, c);
        CHECK((*__ctype_b_loc())[c] == (*tb___ctype_b_loc())[c], "__ctype_b_loc of %d: %x", c,
              (*tb___ctype_b_loc())[c]);
        CHECK((*__ctype_tolower_loc())[c] == (*tb___ctype_tolower_loc())[c], "__ctype_tolower_loc of %d", c);
        CHECK((*__ctype_toupper_loc())[c] == (*tb___ctype_toupper_loc())[c], "__ctype_toupper_loc of %d", c);
        CHECK((toascii)(c) == tb_toascii(c) && !(isascii)(c) == !tb_isascii(c), "toascii or isascii of %d", c);
    }
    for (int c = -300; c < 600; c++)
        CHECK((tolower)(c) == tb_tolower(c) && (toupper)(c) == tb_toupper(c), "tolower or toupper of %d", c);
}
