// A file system hands out blocks: thread i wants a block for inode i % 32, and looks for a free one from block
// (i * 2) % 26 on. Inodes and blocks have a lock each. The first 13 threads never meet; every further one meets one
// that was there before.
//
// From the paper on dynamic partial order reduction by Flanagan and Godefroid (2005).
//     -DN=n    number of threads
#include <pthread.h>

#ifndef N
#define N 14
#endif
#define INODES 32
#define BLOCKS 26

#define EIGHT_LOCKS                                                                                                    \
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,        \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER

static pthread_mutex_t inode_lock[INODES] = {EIGHT_LOCKS, EIGHT_LOCKS, EIGHT_LOCKS, EIGHT_LOCKS};
static pthread_mutex_t block_lock[BLOCKS] = {EIGHT_LOCKS, EIGHT_LOCKS, EIGHT_LOCKS, PTHREAD_MUTEX_INITIALIZER,
                                             PTHREAD_MUTEX_INITIALIZER};
static int block_of_inode[INODES]; // 0: none; otherwise the number of its block plus one
static int block_taken[BLOCKS];

static void take_block(int inode, int block)
{
    for (;;) {
        pthread_mutex_lock(&block_lock[block]);
        if (!block_taken[block]) {
            block_taken[block] = 1;
            block_of_inode[inode] = block + 1;
            pthread_mutex_unlock(&block_lock[block]);
            return;
        }
        pthread_mutex_unlock(&block_lock[block]);
        block = (block + 1) % BLOCKS;
    }
}

static void *create_file(void *argument)
{
    int id = *(int *)argument;
    int inode = id % INODES;
    pthread_mutex_lock(&inode_lock[inode]);
    if (block_of_inode[inode] == 0)
        take_block(inode, id * 2 % BLOCKS);
    pthread_mutex_unlock(&inode_lock[inode]);
    return NULL;
}

int main(void)
{
    static int ids[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        ids[i] = i;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, create_file, &ids[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
