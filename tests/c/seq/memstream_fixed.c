// fmemopen: reading, writing and appending in a buffer of the program
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reading(void) {
    char buffer[20] = "12 abc 3.5\nline two", word[10], line[30];
    FILE *stream = fmemopen(buffer, strlen(buffer), "r");
    int number;
    double real;
    int found = fscanf(stream, "%d %9s %lf", &number, word, &real);
    printf("%d %d %s %g %d\n", found, number, word, real, fgetc(stream));
    char *got = fgets(line, sizeof line, stream);
    printf("%s %d %d\n", got, fgetc(stream), feof(stream) != 0);
    rewind(stream);
    int first = fgetc(stream);
    ungetc('Q', stream);
    int again = fgetc(stream);
    printf("%c%c %ld %s\n", first, again, ftell(stream), buffer);
    found = fputc('x', stream);
    printf("%d %d\n", found, ferror(stream) != 0);
    fclose(stream);
    char *growing = NULL;
    size_t size = 0;
    stream = fmemopen((char *)"one\ntwo\n\nlast", 13, "r");
    while (getline(&growing, &size, stream) > 0)
        printf("<%s>", growing);
    puts("");
    free(growing);
    fclose(stream);
}

static void writing(void) {
    char small[8];
    memset(small, '#', sizeof small);
    FILE *stream = fmemopen(small, sizeof small, "w");
    fputs("abcd", stream);
    fflush(stream);
    printf("%s\n", small);
    fputs("efghijkl", stream);
    int closed = fclose(stream);
    printf("%d %.8s %d\n", closed, small, small[7]);
    char text[16] = "start";
    stream = fmemopen(text, sizeof text, "a");
    fprintf(stream, "+%d", 7);
    fclose(stream);
    puts(text);
    stream = fmemopen(text, sizeof text, "r+");
    int first = fgetc(stream);
    fseek(stream, 2, SEEK_SET);
    fputc('X', stream);
    fclose(stream);
    printf("%c %s\n", first, text);
    stream = fmemopen(NULL, 10, "w+");
    fputs("own", stream);
    rewind(stream);
    char *got = fgets(text, sizeof text, stream);
    printf("%s\n", got);
    fclose(stream);
}

int main(void) {
    reading();
    writing();
    char text[4] = "";
    printf("%d\n", fmemopen(text, 3, "q") == NULL);
    return 0;
}
