/* The trees and lists of <search.h>. A tree is kept balanced (AVL), so that no walk goes deep. */
#include "tb_internal.h"

#include <search.h>

/* The program sees a node as a pointer to its key. */
struct node {
    const void *key;
    struct node *child[2];
    int height;
};

typedef int (*comparison)(const void *, const void *);

/* The links from the root to a node. A balanced tree of this height has more nodes than there is memory. */
#define MAX_HEIGHT 64

struct path {
    struct node **links[MAX_HEIGHT];
    int length;
};

static int height(const struct node *node) { return node ? node->height : 0; }

static void measure(struct node *node)
{
    int left = height(node->child[0]), right = height(node->child[1]);
    node->height = (left > right ? left : right) + 1;
}

/* Lifts the child on that side above its parent. */
static void rotate(struct node **link, int side)
{
    struct node *parent = *link, *child = parent->child[side];
    parent->child[side] = child->child[!side];
    child->child[!side] = parent;
    *link = child;
    measure(parent);
    measure(child);
}

static void rebalance(const struct path *path)
{
    for (int i = path->length - 1; i >= 0; i--) {
        struct node **link = path->links[i], *node = *link;
        if (!node)
            continue;
        int lean = height(node->child[1]) - height(node->child[0]);
        if (lean < -1 || lean > 1) {
            int side = lean > 0;
            struct node *child = node->child[side];
            if (height(child->child[!side]) > height(child->child[side]))
                rotate(&node->child[side], !side);
            rotate(link, side);
        } else {
            measure(node);
        }
    }
}

/* Follows the key to its node, or to the empty link where it would be. */
static struct node **follow(const void *key, void *const *root, comparison compare, struct path *path)
{
    struct node **link = (struct node **)root;
    path->length = 0;
    for (;;) {
        path->links[path->length++] = link;
        if (!*link)
            return link;
        int order = compare(key, (*link)->key);
        if (order == 0)
            return link;
        link = &(*link)->child[order > 0];
    }
}

void *tsearch(const void *key, void **root, comparison compare)
{
    if (!root)
        return NULL;
    struct path path;
    struct node **link = follow(key, root, compare, &path), *node = *link;
    if (node)
        return node;
    node = __tbi_alloc(sizeof *node);
    if (!node)
        return NULL;
    *node = (struct node){key, {NULL, NULL}, 1};
    *link = node;
    rebalance(&path);
    return node;
}

void *tfind(const void *key, void *const *root, comparison compare)
{
    struct path path;
    return root ? *follow(key, root, compare, &path) : NULL;
}

/* The result is the parent of the node, or something that is not NULL for the root. */
void *tdelete(const void *restrict key, void **restrict root, comparison compare)
{
    if (!root)
        return NULL;
    struct path path;
    struct node **link = follow(key, root, compare, &path), *node = *link;
    if (!node)
        return NULL;
    void *parent = path.length > 1 ? (void *)*path.links[path.length - 2] : (void *)root;
    if (node->child[0] && node->child[1]) {
        /* The next key takes its place, and that key's node goes. */
        link = &node->child[1];
        path.links[path.length++] = link;
        while ((*link)->child[0]) {
            link = &(*link)->child[0];
            path.links[path.length++] = link;
        }
        node->key = (*link)->key;
        node = *link;
    }
    *link = node->child[node->child[0] == NULL];
    if (parent == (void *)node)
        parent = root;
    __tb_free(node);
    rebalance(&path);
    return parent;
}

static void walk(const struct node *node, void (*visit)(const void *, VISIT, int), int depth)
{
    if (!node->child[0] && !node->child[1]) {
        visit(node, leaf, depth);
        return;
    }
    visit(node, preorder, depth);
    if (node->child[0])
        walk(node->child[0], visit, depth + 1);
    visit(node, postorder, depth);
    if (node->child[1])
        walk(node->child[1], visit, depth + 1);
    visit(node, endorder, depth);
}

void twalk(const void *root, void (*visit)(const void *, VISIT, int))
{
    if (root && visit)
        walk(root, visit, 0);
}

static void walk_with(const struct node *node, void (*visit)(const void *, VISIT, void *), void *argument)
{
    if (!node->child[0] && !node->child[1]) {
        visit(node, leaf, argument);
        return;
    }
    visit(node, preorder, argument);
    if (node->child[0])
        walk_with(node->child[0], visit, argument);
    visit(node, postorder, argument);
    if (node->child[1])
        walk_with(node->child[1], visit, argument);
    visit(node, endorder, argument);
}

void twalk_r(const void *root, void (*visit)(const void *, VISIT, void *), void *argument)
{
    if (root && visit)
        walk_with(root, visit, argument);
}

static void destroy(struct node *node, void (*release)(void *))
{
    if (node->child[0])
        destroy(node->child[0], release);
    if (node->child[1])
        destroy(node->child[1], release);
    release((void *)node->key);
    __tb_free(node);
}

void tdestroy(void *root, void (*release)(void *))
{
    if (root)
        destroy(root, release);
}

/* The head of any element of a doubly linked list. */
struct element {
    struct element *next, *previous;
};

void insque(void *inserted, void *before)
{
    struct element *element = inserted, *previous = before;
    if (!previous) {
        element->next = element->previous = NULL;
        return;
    }
    element->next = previous->next;
    element->previous = previous;
    previous->next = element;
    if (element->next)
        element->next->previous = element;
}

void remque(void *removed)
{
    struct element *element = removed;
    if (element->next)
        element->next->previous = element->previous;
    if (element->previous)
        element->previous->next = element->next;
}
