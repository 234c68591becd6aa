// Long names in the headline of a race and in lanes.
// options: --max-bugs all
#include <pthread.h>
#include <stdlib.h>
struct statistics { long requests_served_so_far, bytes_transferred_so_far; };
static struct statistics server_statistics[4];
static void *worker(void *x) {
    for (int i = 0; i < 4; i++) {
        server_statistics[i].requests_served_so_far++;
        server_statistics[i].bytes_transferred_so_far += 100;
    }
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
