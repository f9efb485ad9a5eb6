/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning of text from outside, before it is shown to people or written to logs and
 * messages. Clean text is one line of UTF-8 (RFC 3629: no overlong forms, no surrogates) without
 * control characters: those below space, DEL and U+0080 to U+009F, all of which terminals
 * execute. Thread: any. */
#ifndef LINKAGE_TEXT_H
#define LINKAGE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** lk_text_sequence() - return the length in bytes of the UTF-8 sequence at @s; 0: malformed
 * or truncated. The terminating zero of a text is a sequence of one byte. */
int lk_text_sequence(const char *s);

/** lk_text_clean() - replace each byte that is not clean text by '?', in place. This includes
 * all bytes of a truncated sequence. */
void lk_text_clean(char *text);

/** lk_text_print() - print @text with the replacements of lk_text_clean(), without changing @text.
 */
void lk_text_print(FILE *file, const char *text);

/** lk_text_is_clean() - return whether lk_text_clean() would change nothing. */
bool lk_text_is_clean(const char *text);

#ifdef __cplusplus
}
#endif

#endif
