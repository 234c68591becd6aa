/* Output to the standard streams and input from standard input. */
#include "harness.h"

#include <signal.h>

OURS(stdin); OURS(stdout); OURS(stderr);
OURS(puts); OURS(fputs); OURS(fputc); OURS(putc); OURS(putchar); OURS(fwrite); OURS(perror); OURS(psignal);
OURS(fflush);
OURS(setvbuf); OURS(fileno); OURS(feof); OURS(ferror); OURS(clearerr); OURS(fclose);
OURS(getchar); OURS(getc); OURS(fgets); OURS(getline); OURS(getdelim); OURS(ungetc); OURS(fread); OURS(free);
OURS(__uflow); OURS(__overflow);
OURS(__errno_location);
extern char *tb_gets(char *);
extern ssize_t tb_read(int, void *, size_t);

static void output(void)
{
#define WRITES(call, result, text, descriptor)                                                                         \
    do {                                                                                                               \
        world_reset();                                                                                                 \
        long got = (long)(call);                                                                                       \
        CHECK(got == (result) && !strcmp(world.output, text) && (!*(text) || world.output_fd == (descriptor)) && world.writes <= 1, \
              #call " = %ld, \"%s\" to %d in %d writes", got, world.output, world.output_fd, world.writes);             \
    } while (0)
    WRITES(tb_puts("hello"), 6, "hello\n", 1);
    WRITES(tb_puts(""), 1, "\n", 1);
    WRITES(tb_fputs("hello", tb_stderr), 1, "hello", 2);
    WRITES(tb_fputs("", tb_stdout), 1, "", 1);
    WRITES(tb_fputc('x', tb_stdout), 'x', "x", 1);
    WRITES(tb_putc(300, tb_stderr), 300 & 255, ",", 2);
    WRITES(tb_putchar('y'), 'y', "y", 1);
    WRITES(tb_fwrite("abcdef", 2, 3, tb_stdout), 3, "abcdef", 1);
    WRITES(tb_fwrite("abcdef", 0, 3, tb_stdout), 0, "", 1);
    WRITES(tb___overflow(tb_stdout, 'z'), 'z', "z", 1);
    WRITES(tb_fputc('x', tb_stdin), EOF, "", 0);
    CHECK(tb_ferror(tb_stdin), "an error is noted");
    tb_clearerr(tb_stdin);
    CHECK(!tb_ferror(tb_stdin), "and cleared");
    *tb___errno_location() = ENOENT;
    world_reset();
    tb_perror("file");
    CHECK(!strcmp(world.output, "file: No such file or directory\n") && world.output_fd == 2, "perror: %s",
          world.output);
    *tb___errno_location() = 9999;
    world_reset();
    tb_perror(NULL);
    CHECK(!strcmp(world.output, "Unknown error 9999\n"), "perror without a prefix: %s", world.output);
    world_reset();
    tb_psignal(11, "sig");
    CHECK(!strcmp(world.output, "sig: Segmentation fault\n"), "psignal");
    char text[2001];
    memset(text, 'q', 2000);
    text[2000] = 0;
    world_reset();
    CHECK(tb_puts(text) == 2001 && world.output_length == 2001 && world.output[2000] == '\n', "puts of a long line");
    CHECK(tb_fflush(NULL) == 0 && tb_fflush(tb_stdout) == 0 && tb_fclose(tb_stdout) == 0, "fflush, fclose");
    CHECK(tb_setvbuf(tb_stdout, NULL, _IOLBF, 0) == 0 && tb_setvbuf(tb_stdout, NULL, 77, 0) != 0, "setvbuf");
    CHECK(tb_fileno(tb_stdin) == 0 && tb_fileno(tb_stdout) == 1 && tb_fileno(tb_stderr) == 2, "fileno");
}

/* Empties the buffer and starts anew. */
static void input(const char *text, size_t block)
{
    world_input("");
    while (tb_getchar() != EOF)
        ;
    tb_clearerr(tb_stdin);
    world_input(text);
    world.read_block = block;
}

static void characters(void)
{
    input("ab\xff", 1);
    CHECK(tb_getchar() == 'a' && tb_getc(tb_stdin) == 'b' && tb_getchar() == 0xff && !tb_feof(tb_stdin), "getchar");
    CHECK(tb_getchar() == EOF && tb_feof(tb_stdin) && !tb_ferror(tb_stdin), "the end of the input");
    world_input("more");
    CHECK(tb_getchar() == EOF, "the end is kept");
    CHECK(tb_ungetc('z', tb_stdin) == 'z' && !tb_feof(tb_stdin) && tb_getchar() == 'z', "ungetc at the end");
    tb_clearerr(tb_stdin);
    CHECK(tb_getchar() == 'm', "reading on after clearerr");
    CHECK(tb_ungetc('1', tb_stdin) == '1' && tb_ungetc('2', tb_stdin) == '2' && tb_getchar() == '2' &&
          tb_getchar() == '1', "ungetc twice");
    CHECK(tb_ungetc(EOF, tb_stdin) == EOF && tb_getchar() == 'o', "ungetc of EOF");
    CHECK(getc_unlocked(tb_stdin) == 'r', "the header's inline getc takes from the buffer");
    CHECK(tb_getc(tb_stdout) == EOF, "getc of stdout");
    tb_clearerr(tb_stdout);
    input("xy", 1);
    CHECK(tb___uflow(tb_stdin) == 'x', "__uflow");
    world_reset();
    tb_getchar();
    CHECK(world.hidden == 1, "getchar is one visible operation");
    char bytes[8] = "";
    input("raw", 0);
    CHECK(tb_read(0, bytes, 2) == 2 && !strcmp(bytes, "ra") && tb_read(3, bytes, 2) == -1, "read");
}

static void lines(void)
{
    char line[300];
    for (size_t block = 0; block < 6; block++) {
        input("one\ntwo three\n\nlast", block);
        CHECK(tb_fgets(line, sizeof line, tb_stdin) && !strcmp(line, "one\n"), "fgets");
        CHECK(tb_fgets(line, 4, tb_stdin) && !strcmp(line, "two"), "fgets of a part");
        CHECK(tb_fgets(line, 1, tb_stdin) && !*line, "fgets of size 1");
        CHECK(tb_fgets(line, 7, tb_stdin) && !strcmp(line, " three"), "fgets up to the end of a line");
        CHECK(tb_fgets(line, 7, tb_stdin) && !strcmp(line, "\n"), "fgets of a new line");
        CHECK(tb_fgets(line, 7, tb_stdin) && !strcmp(line, "\n"), "fgets of an empty line");
        CHECK(tb_fgets(line, 7, tb_stdin) && !strcmp(line, "last"), "fgets of a line without end");
        CHECK(!tb_fgets(line, 7, tb_stdin) && !strcmp(line, "last"), "fgets at the end");

        char text[1000];
        memset(text, 'l', sizeof text);
        strcpy(text + 500, "\nshort\nrest");
        input(text, block);
        char *got = NULL;
        size_t size = 0;
        CHECK(tb_getline(&got, &size, tb_stdin) == 501 && strlen(got) == 501 && size >= 502, "getline of a long line");
        CHECK(tb_getline(&got, &size, tb_stdin) == 6 && !strcmp(got, "short\n"), "getline");
        CHECK(tb_getdelim(&got, &size, 's', tb_stdin) == 3 && !strcmp(got, "res"), "getdelim");
        CHECK(tb_getline(&got, &size, tb_stdin) == 1 && !strcmp(got, "t"), "getline without end");
        CHECK(tb_getline(&got, &size, tb_stdin) == -1, "getline at the end");
        tb_free(got);
        input("gets line\nx", block);
        CHECK(tb_gets(line) && !strcmp(line, "gets line") && tb_getchar() == 'x' && !tb_gets(line), "gets");
        input("0123456789", block);
        CHECK(tb_fread(line, 3, 2, tb_stdin) == 2 && !memcmp(line, "012345", 6), "fread");
        CHECK(tb_fread(line, 3, 2, tb_stdin) == 1 && tb_feof(tb_stdin), "fread of less");
        CHECK(tb_fread(line, 0, 2, tb_stdin) == 0, "fread of nothing");
    }
    /* getline grows its buffer as glibc does. */
    for (int i = 0; i < 30; i++) {
        char text[1200];
        size_t n = random_below(1100);
        memset(text, 'k', n);
        strcpy(text + n, "\n");
        input(text, 0);
        FILE *file = fmemopen(text, n + 1, "r");
        char *theirs = NULL, *ours = NULL;
        size_t their_size = 0, our_size = 0;
        ssize_t a = getline(&theirs, &their_size, file), b = tb_getline(&ours, &our_size, tb_stdin);
        CHECK(a == b && their_size == our_size, "getline of %zu: size %zu, glibc %zu", n, our_size, their_size);
        fclose(file);
        free(theirs);
        tb_free(ours);
    }
}

void test_stdio(void)
{
    output();
    characters();
    lines();
}
