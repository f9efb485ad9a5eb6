/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside on its way to people, logs and messages: one line of UTF-8 (RFC 3629: no
 * overlong forms, no surrogates) without control characters, which are those below space, DEL and
 * U+0080 to U+009F; terminals obey all of these. Thread: any. */
#ifndef LINKAGE_TEXT_H
#define LINKAGE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** lk_text_sequence() - bytes of the UTF-8 sequence at @s, a zero behind it or not; 0: it is
 * malformed or cut. The terminating zero of a text is a sequence of one byte. */
int lk_text_sequence(const char *s);

/** lk_text_clean() - replace each byte that is no clean text by '?', in place: what a cut left of a
 * sequence as well. */
void lk_text_clean(char *text);

/** lk_text_print() - print it as lk_text_clean() would leave it. */
void lk_text_print(FILE *file, const char *text);

/** lk_text_is_clean() - would that change nothing? */
bool lk_text_is_clean(const char *text);

#ifdef __cplusplus
}
#endif

#endif
