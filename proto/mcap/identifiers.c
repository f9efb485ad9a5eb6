/* SPDX-License-Identifier: Apache-2.0 */
#include "identifiers.h"
#include "linkage/hash.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest part of a name to which a number is appended. */
#define STEM 64

int lk_identifiers_init(struct lk_identifiers *identifiers, size_t n)
{
    size_t slots = 16;

    while (slots < 2 * n)
        slots *= 2;
    identifiers->n_slots = slots;
    identifiers->taken = calloc(slots, sizeof(*identifiers->taken));
    return identifiers->taken ? 0 : -ENOMEM;
}

void lk_identifiers_fini(struct lk_identifiers *identifiers)
{
    free(identifiers->taken);
    *identifiers = (struct lk_identifiers){0};
}

void lk_identifier(const char *name, char *ret)
{
    size_t n = 0;

    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        ret[n++] = 'n';
    for (; *name && n < STEM; name++)
        ret[n++] = (char)(isalnum((unsigned char)*name) ? *name : '_');
    ret[n] = '\0';
}

/* Reduce a name to lower case without underscores, so that names that count as equal become
 * equal. */
static void reduce(const char *name, char *ret)
{
    size_t n = 0;

    for (; *name; name++)
        if (*name != '_')
            ret[n++] = (char)tolower((unsigned char)*name);
    if (n == 0)
        ret[n++] = '_';
    ret[n] = '\0';
}

/* Return the slot of a reduced name, occupied or free. The search begins at its hash and continues
 * with the next slots. There are always free slots. */
static char *find_slot(const struct lk_identifiers *identifiers, const char *reduced)
{
    uint64_t hash = lk_hash(LK_HASH_BEGIN, reduced, strlen(reduced));
    size_t i;

    for (i = hash & (identifiers->n_slots - 1); *identifiers->taken[i];
         i = (i + 1) & (identifiers->n_slots - 1))
        if (strcmp(identifiers->taken[i], reduced) == 0)
            break;
    return identifiers->taken[i];
}

void lk_identifiers_add(struct lk_identifiers *identifiers, const char *name, char *ret)
{
    char stem[LK_IDENTIFIER_SIZE], reduced[LK_IDENTIFIER_SIZE], *slot;

    lk_identifier(name, stem);
    strcpy(ret, stem);
    for (unsigned int number = 2;; number++) {
        reduce(ret, reduced);
        slot = find_slot(identifiers, reduced);
        if (!*slot)
            break;
        snprintf(ret, LK_IDENTIFIER_SIZE, "%.65s_%u", stem, number);
    }
    strcpy(slot, reduced);
}
