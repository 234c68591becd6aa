// a pipeline of four stages with one-place channels
#include <pthread.h>
#include <stdio.h>

enum { STAGES = 4, ITEMS = 10 };

struct channel {
    pthread_mutex_t m;
    pthread_cond_t c;
    int full, value;
};

static struct channel chan[STAGES + 1];

static void send(struct channel *ch, int value) {
    pthread_mutex_lock(&ch->m);
    while (ch->full)
        pthread_cond_wait(&ch->c, &ch->m);
    ch->value = value;
    ch->full = 1;
    pthread_cond_signal(&ch->c);
    pthread_mutex_unlock(&ch->m);
}

static int receive(struct channel *ch) {
    pthread_mutex_lock(&ch->m);
    while (!ch->full)
        pthread_cond_wait(&ch->c, &ch->m);
    int value = ch->value;
    ch->full = 0;
    pthread_cond_signal(&ch->c);
    pthread_mutex_unlock(&ch->m);
    return value;
}

static void *stage(void *arg) {
    int me = *(int *)arg;
    for (int v; (v = receive(&chan[me])) >= 0;)
        send(&chan[me + 1], v * 2 + me);
    send(&chan[me + 1], -1);
    return NULL;
}

static void *feed(void *arg) {
    (void)arg;
    for (int i = 0; i < ITEMS; i++)
        send(&chan[0], i);
    send(&chan[0], -1);
    return NULL;
}

int main(void) {
    pthread_t t[STAGES], f;
    int id[STAGES];
    for (int i = 0; i <= STAGES; i++) {
        pthread_mutex_init(&chan[i].m, NULL);
        pthread_cond_init(&chan[i].c, NULL);
    }
    for (int i = 0; i < STAGES; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, stage, &id[i]);
    }
    pthread_create(&f, NULL, feed, NULL);
    for (int v; (v = receive(&chan[STAGES])) >= 0;)
        printf("%d\n", v);
    pthread_join(f, NULL);
    for (int i = 0; i < STAGES; i++)
        pthread_join(t[i], NULL);
    return 0;
}
