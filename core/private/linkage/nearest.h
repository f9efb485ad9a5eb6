/* SPDX-License-Identifier: Apache-2.0 */
/* Spelling suggestions: find the known word that is nearest to an unknown word. */
#ifndef LINKAGE_NEAREST_H
#define LINKAGE_NEAREST_H

#include <stddef.h>

#define LK_WORD_SIZE 64 /* bytes of a word with its terminating zero; longer words are cut */

/** lk_edit_distance() - count the edits that turn @a into @b: insert, delete or replace a letter,
 * or swap two neighbours. */
int lk_edit_distance(const char *a, const char *b);

/** lk_nearest() - return the nearest of @words (NULL-terminated) that needs at most one edit for
 * each three letters of @word. Differences of case, and '-' for '_', do not count. NULL if there is
 * none. */
const char *lk_nearest(const char *word, const char *const words[]);

#define LK_MEANT_SIZE (LK_WORD_SIZE + 32)

/** lk_meant() - write ", did you mean 'NAME'?" with the nearest of @n names, or "" if none is near.
 * @first: the first name;  @stride: bytes from one name to the next; for an array of struct
 * lk_channel, the name of the first and the size of the struct. Return: @ret. */
const char *lk_meant(const char *word, const char *first, size_t stride, int n,
                     char ret[LK_MEANT_SIZE]);

#endif
