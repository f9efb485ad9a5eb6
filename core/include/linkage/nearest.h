/* SPDX-License-Identifier: Apache-2.0 */
/* Spelling suggestions: the known word nearest to an unknown one. */
#ifndef LINKAGE_NEAREST_H
#define LINKAGE_NEAREST_H

#define LK_WORD_SIZE 64 /* bytes of a word with its terminating zero; what is longer is cut */

/** lk_edit_distance() - edits that turn @a into @b: insert, delete or replace a letter, or swap two
 * neighbours. */
int lk_edit_distance(const char *a, const char *b);

/** lk_nearest() - the nearest of @words (NULL-terminated) within one edit for each three letters of
 * @word; case and '-' for '_' do not count. Return: NULL for none. */
const char *lk_nearest(const char *word, const char *const words[]);

#endif
