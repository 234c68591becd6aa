// flockfile: what a thread prints while it holds the stream stays together; streams in memory may be shared
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *shared;

static void *print(void *unused) {
    for (int i = 0; i < 10; i++) {
        flockfile(stdout);
        flockfile(stdout);
        printf("%s", "[");
        putchar_unlocked('x');
        funlockfile(stdout);
        fputs("]\n", stdout);
        funlockfile(stdout);
        fprintf(shared, "%d-%d;", 1, 2);
    }
    return unused;
}

static void *print_lines(void *unused) {
    for (int i = 0; i < 10; i++)
        puts("[x]");
    return unused;
}

int main(void) {
    char *text;
    size_t length;
    shared = open_memstream(&text, &length);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i < 2 ? print : print_lines, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    fclose(shared);
    printf("%zu %s %d\n", length, text, ftrylockfile(stdout));
    funlockfile(stdout);
    free(text);
    return 0;
}
