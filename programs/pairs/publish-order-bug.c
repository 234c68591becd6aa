// A sender writes a letter of two words and a flag that says that it is there. It raises the flag between the words;
// a receiver that is quick reads half a letter.
// expect: kind=assertion line=23 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word[2], there;

static void *send(void *unused)
{
    (void)unused;
    word[0] = 47;
    there = 1;
    word[1] = 11;
    return NULL;
}

static void *receive(void *unused)
{
    (void)unused;
    if (there)
        assert(word[0] == 47 && word[1] == 11);
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
