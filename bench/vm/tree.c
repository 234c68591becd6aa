/* Pointers and the heap: a search tree that is built, walked, thinned out and freed, over and over. */
#include <stdio.h>
#include <stdlib.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { NODES = 3000, ROUNDS = 13 * SCALE };

struct node {
    struct node *left, *right;
    unsigned key;
    int value;
};

static unsigned seed = 12345;

static unsigned next_random(void)
{
    seed = seed * 1103515245u + 12345u;
    return seed >> 8 & 0xffff;
}

static void insert(struct node **at, unsigned key)
{
    while (*at) {
        if ((*at)->key == key) {
            (*at)->value++;
            return;
        }
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    }
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->left = node->right = NULL;
    node->key = key;
    node->value = 1;
    *at = node;
}

static void remove_key(struct node **at, unsigned key)
{
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    struct node *gone = *at;
    if (gone == NULL)
        return;
    if (gone->left == NULL) {
        *at = gone->right;
    } else if (gone->right == NULL) {
        *at = gone->left;
    } else {
        struct node **least = &gone->right;
        while ((*least)->left)
            least = &(*least)->left;
        struct node *heir = *least;
        *least = heir->right;
        heir->left = gone->left;
        heir->right = gone->right;
        *at = heir;
    }
    free(gone);
}

static long walk(const struct node *node, int depth)
{
    return node ? walk(node->left, depth + 1) + node->value * (long)depth + walk(node->right, depth + 1) : 0;
}

static void release(struct node *node)
{
    if (node == NULL)
        return;
    release(node->left);
    release(node->right);
    free(node);
}

int main(void)
{
    long total = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct node *root = NULL;
        for (int i = 0; i < NODES; i++)
            insert(&root, next_random());
        for (int i = 0; i < NODES; i++)
            remove_key(&root, next_random());
        total += walk(root, 1);
        release(root);
    }
    printf("%ld\n", total);
    return 0;
}
