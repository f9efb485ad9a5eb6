/* SPDX-License-Identifier: Apache-2.0 */
/* Key files of the line's encryption (CURVE): text files with one key each, 40 characters of Z85
 * (ZeroMQ RFC 32). `linkagectl keygen` writes them; the daemon and its clients read them.
 *
 *     # linkaged: secret key, for nobody else
 *     D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs
 *
 * Words are separated by blanks. A word that begins with # begins a comment. No key begins with #,
 * because its first five characters would encode a value beyond 32 bits.
 *
 * A file with a secret key is refused if group or others may read it; any key file is refused if
 * group or others may write it, or if another user owns it.
 * Thread: any but the cycle. */
#ifndef LK_KEYS_H
#define LK_KEYS_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_KEY_LENGTH   40
#define LK_KEY_SIZE     (LK_KEY_LENGTH + 1) /* including its terminating zero */
#define LK_KEY_NAME_MAX 63                  /* bytes of a client's name, without terminating zero */
#define LK_KEY_FILE_MAX (64u << 10)         /* largest file that is read, in bytes */

/** enum lk_key_kind - type of a key file. LK_KEY_PUBLIC: others may read the file; LK_KEY_SECRET:
 * others may not */
enum lk_key_kind { LK_KEY_PUBLIC, LK_KEY_SECRET };

/** struct lk_key_words - the words of a line, without its comment.
 * @n:             number of words in the line; only the first LK_KEY_WORDS_MAX are stored
 * @word, @length: words in the text and their lengths
 * @line:          number of the line, from 1 */
#define LK_KEY_WORDS_MAX 4
struct lk_key_words {
    int n;
    const char *word[LK_KEY_WORDS_MAX];
    size_t length[LK_KEY_WORDS_MAX];
    int line;
};

/** lk_key_is_valid() - Return true if these @length bytes are a key: 40 characters of Z85 that
 * encode 32 bytes. */
bool lk_key_is_valid(const char *text, size_t length);

/** lk_key_name_is_valid() - Return true if these @length bytes are a valid name of a client:
 * letters, digits, '.', '_' and '-'. */
bool lk_key_name_is_valid(const char *text, size_t length);

/** lk_key_next_line() - Find the next line that has words.
 * @text:  @size bytes
 * @place: byte offset, 0 before the first call, advanced
 * @words: the words of the line; @words->line is advanced
 * Return: true if there was such a line. */
bool lk_key_next_line(const char *text, size_t size, size_t *place, struct lk_key_words *words);

/** lk_key_parse() - Read the only key in a text.
 * @name:    name of the text, for error messages
 * @ret_key: LK_KEY_SIZE bytes
 * Return: 0, LK_E_TEXT (@ret_error: "name:line: ..."; the text itself is never quoted). */
int lk_key_parse(const char *name, const char *text, size_t size, char *ret_key,
                 struct lk_error *ret_error);

/** lk_key_file_read() - Read a key file; check its owner and permissions.
 * @owner:    permitted owner, besides root
 * @ret_text: @ret_size bytes, to be freed with lk_key_file_free()
 * Return: 0, LK_E_TEXT (missing, unsafe permissions, too large: @ret_error has the remedy),
 * -ENOMEM. */
int lk_key_file_read(const char *path, enum lk_key_kind kind, uid_t owner, char **ret_text,
                     size_t *ret_size, struct lk_error *ret_error);
/** lk_key_file_free() - Overwrite and free a text with a key. @text may be NULL. */
void lk_key_file_free(char *text, size_t size);

/** lk_key_read() - Read the key in the file at @path with lk_key_file_read() and lk_key_parse().
 * Return: as lk_key_file_read(). */
int lk_key_read(const char *path, enum lk_key_kind kind, uid_t owner, char *ret_key,
                struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
