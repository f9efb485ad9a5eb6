/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int smallest(int a, int b, int c)
{
    int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Compute the distance of optimal string alignment, row by row. */
int lk_edit_distance(const char *a, const char *b)
{
    int row[3][LK_WORD_SIZE];
    int n = (int)strnlen(b, LK_WORD_SIZE - 1);
    int m = (int)strnlen(a, LK_WORD_SIZE - 1);

    for (int j = 0; j <= n; j++)
        row[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];

        now[0] = i;
        for (int j = 1; j <= n; j++) {
            now[j] =
                smallest(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                earlier[j - 2] + 1 < now[j])
                now[j] = earlier[j - 2] + 1;
        }
    }
    return row[m % 3][n];
}

static void plain(const char *word, char ret[LK_WORD_SIZE])
{
    size_t n = strnlen(word, LK_WORD_SIZE - 1);

    for (size_t i = 0; i < n; i++)
        ret[i] = (char)(word[i] == '-' ? '_' : tolower((unsigned char)word[i]));
    ret[n] = '\0';
}

/* return whether @other is nearer to the simplified word @mine than @best edits; if so, update
 * @best */
static int is_nearer(const char *mine, const char *other, int *best)
{
    char theirs[LK_WORD_SIZE];
    int distance;

    plain(other, theirs);
    distance = lk_edit_distance(mine, theirs);
    /* reject if as many edits as letters are needed */
    if (distance >= *best || distance >= (int)strlen(theirs))
        return 0;
    *best = distance;
    return 1;
}

static int edits_allowed(const char *word)
{
    return (int)strnlen(word, LK_WORD_SIZE - 1) / 3 + 1;
}

const char *lk_nearest(const char *word, const char *const words[])
{
    const char *nearest = NULL;
    char mine[LK_WORD_SIZE];
    int best = edits_allowed(word);

    if (word[0] == '\0')
        return NULL;
    plain(word, mine);
    for (int i = 0; words[i] != NULL; i++)
        if (is_nearer(mine, words[i], &best))
            nearest = words[i];
    return nearest;
}

const char *lk_meant(const char *word, const char *first, size_t stride, int n,
                     char ret[LK_MEANT_SIZE])
{
    const char *nearest = NULL;
    char mine[LK_WORD_SIZE];
    int best = edits_allowed(word);

    plain(word, mine);
    for (int i = 0; i < n && word[0] != '\0'; i++)
        if (is_nearer(mine, first + (size_t)i * stride, &best))
            nearest = first + (size_t)i * stride;
    ret[0] = '\0';
    if (nearest)
        snprintf(ret, LK_MEANT_SIZE, ", did you mean '%.*s'?", LK_WORD_SIZE - 1, nearest);
    return ret;
}
