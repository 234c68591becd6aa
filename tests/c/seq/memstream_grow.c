// open_memstream: text that grows, positions, and a stream in the place of stdout
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static void positions(void) {
    FILE *stream = open_memstream(&text, &length);
    fputs("0123456789", stream);
    fseek(stream, 3, SEEK_SET);
    fputs("XY", stream);
    fflush(stream);
    printf("%zu %.10s %ld\n", length, text, ftell(stream));
    fseek(stream, -2, SEEK_CUR);
    fputc('Q', stream);
    fseek(stream, 8, SEEK_SET);
    fclose(stream);
    printf("%zu %s\n", length, text);
    free(text);
    stream = open_memstream(&text, &length);
    fseek(stream, 5, SEEK_SET);
    fputc('a', stream);
    fclose(stream);
    printf("%zu %d %c\n", length, text[0], text[5]);
    free(text);
}

int main(void) {
    FILE *stream = open_memstream(&text, &length);
    fprintf(stream, "hello %d", 42);
    fputc('!', stream);
    fflush(stream);
    printf("%zu %s\n", length, text);
    for (int i = 0; i < 500; i++)
        fprintf(stream, "%d,", i);
    fprintf(stream, "%300s", "wide");
    fwrite("abc", 1, 3, stream);
    printf("%ld %d\n", ftell(stream), fileno(stream));
    fclose(stream);
    printf("%zu %s %d\n", length, text + length - 10, strlen(text) == length);
    free(text);
    stream = open_memstream(&text, &length);
    fclose(stream);
    printf("%zu [%s]\n", length, text);
    free(text);
    positions();
    FILE *screen = stdout;
    stdout = open_memstream(&text, &length);
    printf("to memory %d", 1);
    puts("!");
    putchar('x');
    fclose(stdout);
    stdout = screen;
    printf("%zu [%s]\n", length, text);
    free(text);
    return 0;
}
