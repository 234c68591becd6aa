/* Strings and a hash table with chains: counts the words of a text that it makes up. */
#include <stdio.h>
#include <stdlib.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { BUCKETS = 512, WORDS = 70000 * SCALE, LONGEST = 12 };

struct entry {
    struct entry *next;
    int count;
    char word[LONGEST];
};

static struct entry *buckets[BUCKETS];

static unsigned hash(const char *word)
{
    unsigned value = 2166136261u;
    while (*word)
        value = (value ^ (unsigned char)*word++) * 16777619u;
    return value;
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static void count(const char *word)
{
    struct entry **at = &buckets[hash(word) % BUCKETS];
    for (; *at; at = &(*at)->next)
        if (same((*at)->word, word)) {
            (*at)->count++;
            return;
        }
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        abort();
    entry->next = NULL;
    entry->count = 1;
    int i = 0;
    do
        entry->word[i] = word[i];
    while (word[i++]);
    *at = entry;
}

/* Writes a word of two or three syllables that depends on the number alone. */
static void make_word(unsigned number, char *word)
{
    static const char syllables[16][4] = {"ta", "lo", "mir", "ve", "shu", "ko", "ne", "ris",
                                          "pa", "du", "gel", "wo", "thy", "ba", "ix", "qu"};
    for (int part = number % 7 ? 2 : 3; part > 0; part--, number /= 16)
        for (const char *from = syllables[number % 16]; *from;)
            *word++ = *from++;
    *word = 0;
}

int main(void)
{
    char word[LONGEST];
    unsigned seed = 42;
    for (int i = 0; i < WORDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        make_word((seed >> 16) * (seed >> 24) % 1500, word);
        count(word);
    }
    int different = 0, most = 0;
    unsigned digest = 0;
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i]) {
            struct entry *entry = buckets[i];
            different++;
            if (entry->count > most)
                most = entry->count;
            digest = digest * 31 + hash(entry->word) * (unsigned)entry->count;
            buckets[i] = entry->next;
            free(entry);
        }
    printf("%d words, %d different, at most %d times, %08x\n", WORDS, different, most, digest);
    return 0;
}
