/* Calls through function pointers: quicksort and heapsort of records in several orders. */
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { RECORDS = 4000 };

struct record {
    unsigned key;
    short group;
    double weight;
};

typedef int compare_fn(const void *, const void *);

static struct record records[RECORDS];

static int by_key(const void *a, const void *b)
{
    const struct record *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

static int by_group(const void *a, const void *b)
{
    const struct record *left = a, *right = b;
    return left->group != right->group ? left->group - right->group : by_key(a, b);
}

static int by_weight(const void *a, const void *b)
{
    const struct record *left = a, *right = b;
    return left->weight < right->weight ? 1 : left->weight > right->weight ? -1 : by_key(a, b);
}

static void swap(struct record *a, struct record *b)
{
    struct record kept = *a;
    *a = *b;
    *b = kept;
}

static void quicksort(struct record *base, int count, compare_fn *compare)
{
    while (count > 1) {
        struct record pivot = base[count / 2];
        int low = 0, high = count - 1;
        while (low <= high) {
            while (compare(&base[low], &pivot) < 0)
                low++;
            while (compare(&base[high], &pivot) > 0)
                high--;
            if (low <= high)
                swap(&base[low++], &base[high--]);
        }
        quicksort(base, high + 1, compare);
        base += low;
        count -= low;
    }
}

static void sift(struct record *base, int at, int count, compare_fn *compare)
{
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(&base[child], &base[child + 1]) < 0)
            child++;
        if (compare(&base[at], &base[child]) >= 0)
            return;
        swap(&base[at], &base[child]);
    }
}

static void heapsort(struct record *base, int count, compare_fn *compare)
{
    for (int i = count / 2 - 1; i >= 0; i--)
        sift(base, i, count, compare);
    for (int i = count - 1; i > 0; i--) {
        swap(&base[0], &base[i]);
        sift(base, 0, i, compare);
    }
}

int main(void)
{
    static compare_fn *const orders[] = {by_key, by_group, by_weight};
    static void (*const sorts[])(struct record *, int, compare_fn *) = {quicksort, heapsort};
    unsigned seed = 1, digest = 0;
    for (int i = 0; i < RECORDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        records[i].key = seed >> 4;
        records[i].group = (short)(seed >> 12 & 15);
        records[i].weight = (seed >> 20) / 8.0;
    }
    for (int round = 0; round < 6 * SCALE; round++) {
        compare_fn *order = orders[round % 3];
        sorts[round % 2](records, RECORDS, order);
        for (int i = 0; i < RECORDS; i++) {
            digest = digest * 31 + records[i].key;
            if (i > 0 && order(&records[i - 1], &records[i]) > 0)
                return 1;
        }
    }
    printf("%08x\n", digest);
    return 0;
}
