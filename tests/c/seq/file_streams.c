/* Streams of files: modes, positions, buffers, the end, errors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show(const char *what, FILE *file)
{
    printf("%s: at %ld, eof %d, error %d\n", what, ftell(file), feof(file) != 0, ferror(file) != 0);
}

int main(void)
{
    char name[] = "/tmp/tb_streams_XXXXXX", line[64];
    int fd = mkstemp(name);
    FILE *file = fdopen(fd, "w+");
    for (int i = 0; i < 5; i++)
        fprintf(file, "line %d of %s\n", i, "five");
    show("written", file);
    rewind(file);
    while (fgets(line, sizeof line, file))
        printf("> %s", line);
    show("read", file);
    fseek(file, 7, SEEK_SET);
    fputs("OF", file);
    fseek(file, -11, SEEK_END);
    fwrite("ABC", 1, 3, file);
    rewind(file);
    int number;
    char word[16];
    while (fscanf(file, "line %d %15s %*[^\n] ", &number, word) == 2)
        printf("%d %s\n", number, word);
    show("scanned", file);
    fclose(file);

    file = fopen(name, "a+");
    show("to append", file);
    fputs("last", file);
    fflush(file);
    show("appended", file);
    rewind(file);
    printf("%c%c\n", getc(file), getc(file));
    ungetc('q', file);
    printf("%c %ld\n", getc(file), ftell(file));
    fclose(file);

    file = fopen(name, "r");
    printf("%d", fputs("no", file) == EOF);
    show(", only to read", file);
    clearerr(file);
    fseek(file, 0, SEEK_END);
    printf("%d %d\n", getc(file), feof(file) != 0);
    fclose(file);
    printf("%d %d\n", !fopen(name, "wx"), errno == EEXIST);
    file = freopen(name, "w", fopen(name, "r"));
    setvbuf(file, NULL, _IOLBF, 0);
    fputs("one\ntwo", file);
    FILE *other = fopen(name, "r");
    printf("%s", fgets(line, sizeof line, other));
    printf("%d\n", fgets(line, sizeof line, other) == NULL);
    fclose(file);
    fclose(other);
    unlink(name);
    printf("%d %d\n", !fopen(name, "r"), errno == ENOENT);

    file = tmpfile();
    for (int i = 0; i < 3000; i++)
        fprintf(file, "%d,", i);
    fseek(file, 5000, SEEK_SET);
    printf("%d %d\n", fscanf(file, "%*d,%d", &number), number);
    fclose(file);
    return 0;
}
