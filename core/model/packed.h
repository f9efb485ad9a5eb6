/* SPDX-License-Identifier: Apache-2.0 */
/* A model as one block of bytes, the tree of its text and the files that it names: for programs
 * without a parser of YAML. What is read from it is the model of the text, hash and places in
 * messages included.
 *
 *     linkage packed 1              first line
 *     name BYTES                    then so many bytes and a line feed: how messages call the text
 *     tree BYTES                    in the order of the text, each with line and column:
 *         m 1 1 2                       a map of two pairs: four nodes follow
 *         l 3 5 2                       a list of two
 *         s 1 10 4 text                 a scalar of so many bytes
 *     file BYTES NAME               of a road, once for each name
 *     crc SUM                       CRC-32 of all before this line, eight hexadecimal digits
 *
 * Text, so that it does not depend on the order of bytes of a machine; files are as they are. */
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

/** struct lk_packed_files - all of them; names are within. */
struct lk_packed_files {
    int n;
    struct lk_packed_file file[LK_PACKED_FILES_MAX];
    char names[LK_PACKED_FILES_MAX][256];
};

/** lk_model_pack() - the block of the model file at @path, which may name files in its folder. It
 * is not checked as a model but for these.
 * @ret_bytes: @ret_size bytes on the heap, the same for the same file. Return: 0, LK_E_TEXT (what
 * lk_model_read_file() says, or more files than a block can have), -ENOMEM. Needs libyaml. */
int lk_model_pack(const char *path, char **ret_bytes, size_t *ret_size, struct lk_errors *ret);

/** lk_model_read_packed() - as lk_model_read_text_with(), from a block, which may come from
 * outside: all of it is checked. Return: also LK_E_TEXT: no such block, or damaged. */
int lk_model_read_packed(const char *bytes, size_t size, const struct lk_setting *settings, int n,
                         struct lk_model **ret_model, struct lk_errors *ret_errors);
/** lk_numbers_new_packed() - as lk_numbers_new(), likewise. */
int lk_numbers_new_packed(const char *bytes, size_t size, const struct lk_setting *settings, int n,
                          struct lk_numbers **ret_numbers, struct lk_errors *ret_errors);

#endif
