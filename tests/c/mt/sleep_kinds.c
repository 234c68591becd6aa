// sleep, usleep, nanosleep and clock_nanosleep return 0, and the clock has advanced by what was asked
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *sleeper(void *arg) {
    int ok = 0;
    long long before = now();
    ok += usleep(1000) == 0;
    ok += now() - before >= 1000000;
    before = now();
    struct timespec ms = {0, 1000000}, left = {9, 9};
    ok += nanosleep(&ms, &left) == 0;
    ok += now() - before >= 1000000;
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    before = now();
    ok += clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL) == 0;
    ok += now() - before >= 1000000;
    ok += clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == 0;
    ok += sleep(0) == 0;
    *(int *)arg = ok;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int ok[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sleeper, &ok[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", ok[0], ok[1]);
    return 0;
}
