// strptime: what it reads, what it works out, and what it refuses
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

static void try(const char *text, const char *format) {
    struct tm t;
    memset(&t, 0, sizeof t);
    t.tm_year = 70;
    const char *end = strptime(text, format, &t);
    printf("%s as %s: ", text, format);
    if (!end) {
        puts("no");
        return;
    }
    printf("%td bytes %d-%d-%d %d:%d:%d, %d, %d, %ld\n", end - text, t.tm_year, t.tm_mon, t.tm_mday, t.tm_hour,
           t.tm_min, t.tm_sec, t.tm_wday, t.tm_yday, t.tm_gmtoff);
}

int main(void) {
    static const char *const cases[][2] = {
        {"2024-02-29 13:45:59", "%Y-%m-%d %H:%M:%S"}, {"29 Feb 2024", "%d %b %Y"}, {"thursday, JANUARY 5", "%A, %B %d"},
        {"12:05 AM", "%I:%M %p"}, {"12:05 pm", "%I:%M %p"}, {"  7/ 4/76 rest", "%D"}, {"68", "%y"}, {"69", "%y"},
        {"20 15", "%C %y"}, {"20", "%C"}, {"2023 200", "%Y %j"}, {"2024 366", "%Y %j"}, {"2024 10 3", "%Y %U %w"},
        {"2024 10 1", "%Y %W %u"}, {"Mon Sep  9 01:46:40 2001", "%c"}, {"1000000000", "%s"}, {"+0530", "%z"},
        {"-08:00", "%z"}, {"Z", "%z"}, {"13", "%m"}, {"32", "%d"}, {"60", "%M"}, {"61", "%S"}, {"abc", "%d"},
        {"100%", "%d0%%"}, {"01:02", "%R"}, {"11:59:59 PM", "%r"}, {"2024-12-31", "%F"}, {"x  y", "x y"},
        {"xy", "x y"}, {" x", "x"}, {"Febru", "%b"}, {"0", "%I"}, {"99999", "%Y"}, {"", "%Y"}, {"2024", "%Y%n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        try(cases[i][0], cases[i][1]);
    return 0;
}
