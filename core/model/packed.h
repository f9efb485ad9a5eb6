/* SPDX-License-Identifier: Apache-2.0 */
/* A packed model: the tree of its text and the files that it names as one sequence of bytes, for
 * programs without a YAML parser. Reading it yields the same model as the text, including the hash
 * and the positions in messages.
 *
 *     linkage packed 1              first line
 *     name BYTES                    BYTES bytes and a line feed follow: the name in messages
 *     tree BYTES                    in the order of the text, each with line and column:
 *         m 1 1 2                       a map of 2 pairs: four nodes follow
 *         l 3 5 2                       a list of 2 nodes
 *         s 1 10 4 text                 a scalar of 4 bytes
 *     file BYTES NAME               content of a road file, once for each name
 *     crc SUM                       CRC-32 of all before this line, eight hexadecimal digits
 *
 * The format is text, so it does not depend on the byte order of a machine. The content of files is
 * unchanged. */
#ifndef LK_MODEL_PACKED_H
#define LK_MODEL_PACKED_H

#include "linkage/parameters.h"

/** struct lk_packed_file - a file that the model names: @size bytes within the block. */
struct lk_packed_file {
    const char *name;
    const char *bytes;
    size_t size;
};

#define LK_PACKED_FILES_MAX 64
#define LK_PACKED_SIZE_MAX  (300u << 20) /* bytes of a block */

/** struct lk_packed_files - the files of a model; @names: memory of their names. */
struct lk_packed_files {
    int n;
    struct lk_packed_file file[LK_PACKED_FILES_MAX];
    char names[LK_PACKED_FILES_MAX][256];
};

/** lk_model_pack() - pack the model file at @path, which may name files in its folder. The
 * model is read and checked first.
 * @ret_bytes: @ret_size bytes on the heap, the same for the same file. Return: 0, LK_E_TEXT (as
 * lk_model_read_file(), or more files than LK_PACKED_FILES_MAX), -ENOMEM. Needs libyaml. */
int lk_model_pack(const char *path, char **ret_bytes, size_t *ret_size, struct lk_errors *ret);

/** lk_model_read_packed() - read a packed model, like lk_model_read_text_with() reads a text.
 * @bytes may be untrusted: everything is checked. Return: as lk_model_read_text_with(); LK_E_TEXT
 * also if @bytes is no packed model, or is damaged. */
int lk_model_read_packed(const char *bytes, size_t size, const struct lk_setting *settings, int n,
                         struct lk_model **ret_model, struct lk_errors *ret_errors);
/** lk_numbers_new_packed() - list the numbers of a packed model, like lk_numbers_new() does for a
 * text. */
int lk_numbers_new_packed(const char *bytes, size_t size, const struct lk_setting *settings, int n,
                          struct lk_numbers **ret_numbers, struct lk_errors *ret_errors);

#endif
