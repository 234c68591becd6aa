// threads that are joined before the next one starts share stdout: printf, puts, putchar, fputs, fwrite
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *say(void *arg) {
    int n = *(int *)arg;
    switch (n % 5) {
    case 0: printf("%s %d %5.2f|\n", "printf", n, n / 3.0); break;
    case 1: puts("puts"); break;
    case 2:
        for (const char *p = "putchar\n"; *p; p++)
            putchar(*p);
        break;
    case 3: fputs("fputs\n", stdout); break;
    default: fwrite("fwrite\n", 1, strlen("fwrite\n"), stdout); break;
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        pthread_t t;
        pthread_create(&t, NULL, say, &i);
        pthread_join(t, NULL);
    }
    return 0;
}
