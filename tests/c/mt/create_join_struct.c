// results written into a struct on main's stack and a pointer to it returned
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct job {
    const char *text;
    int from, to;
    char out[32];
    double mean;
};

static void *run(void *arg) {
    struct job *j = arg;
    int n = 0, sum = 0;
    for (int i = j->from; i < j->to; i++) {
        j->out[n++] = j->text[i];
        sum += j->text[i];
    }
    j->out[n] = '\0';
    j->mean = n ? (double)sum / n : 0.0;
    return j;
}

int main(void) {
    const char *text = "the quick brown fox jumps";
    struct job jobs[3] = {{.text = text, .from = 0, .to = 9},
                          {.text = text, .from = 9, .to = 16},
                          {.text = text, .from = 16, .to = 25}};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, &jobs[i]);
    for (int i = 0; i < 3; i++) {
        void *r;
        pthread_join(t[i], &r);
        struct job *j = r;
        printf("[%s] %zu %.3f %d\n", j->out, strlen(j->out), j->mean, j == &jobs[i]);
    }
    return 0;
}
