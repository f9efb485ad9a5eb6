/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"
#include "linkage/file.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- text ---- */

bool lk_key_is_valid(const char *text, size_t length)
{
    static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

    if (length != LK_KEY_LENGTH)
        return false;
    for (size_t group = 0; group < length; group += 5) {
        uint64_t value = 0;

        for (size_t i = group; i < group + 5; i++) {
            const char *digit = text[i] ? strchr(alphabet, text[i]) : NULL;

            if (!digit)
                return false;
            value = value * 85 + (uint64_t)(digit - alphabet);
        }
        if (value > UINT32_MAX) /* five digits can represent slightly more than four bytes */
            return false;
    }
    return true;
}

bool lk_key_name_is_valid(const char *text, size_t length)
{
    if (length < 1 || length > LK_KEY_NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
              (text[i] >= '0' && text[i] <= '9') || strchr("._-", text[i])) ||
            !text[i])
            return false;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Split @line, which has @size bytes and no line feed, into words. */
static void split(const char *line, size_t size, struct lk_key_words *words)
{
    size_t i = 0, begin;

    words->n = 0;
    for (;;) {
        while (i < size && is_blank(line[i]))
            i++;
        begin = i;
        while (i < size && !is_blank(line[i]))
            i++;
        if (i == begin || line[begin] == '#')
            return;
        if (words->n < LK_KEY_WORDS_MAX) {
            words->word[words->n] = line + begin;
            words->length[words->n] = i - begin;
        }
        words->n++;
    }
}

bool lk_key_next_line(const char *text, size_t size, size_t *place, struct lk_key_words *words)
{
    while (*place < size) {
        const char *line = text + *place, *end = memchr(line, '\n', size - *place);
        size_t n = end ? (size_t)(end - line) : size - *place;

        *place += n + 1;
        words->line++;
        split(line, n, words);
        if (words->n > 0)
            return true;
    }
    return false;
}

int lk_key_parse(const char *name, const char *text, size_t size, char *ret_key,
                 struct lk_error *ret_error)
{
    struct lk_key_words words = {0}, more = {0};
    size_t place = 0;

    if (!lk_key_next_line(text, size, &place, &words)) {
        lk_error_set(ret_error, "%s: no key, expected a line of %d characters", name,
                     LK_KEY_LENGTH);
        return LK_E_TEXT;
    }
    if (words.n != 1 || !lk_key_is_valid(words.word[0], words.length[0])) {
        lk_error_set(ret_error,
                     "%s:%d: not a key, expected %d characters of Z85 alone on a line (linkagectl "
                     "keygen makes such a file)",
                     name, words.line, LK_KEY_LENGTH);
        return LK_E_TEXT;
    }
    more.line = words.line;
    if (lk_key_next_line(text, size, &place, &more)) {
        lk_error_set(ret_error, "%s:%d: more than one key, expected the end of the file", name,
                     more.line);
        return LK_E_TEXT;
    }
    memcpy(ret_key, words.word[0], LK_KEY_LENGTH);
    ret_key[LK_KEY_LENGTH] = '\0';
    return 0;
}

/* ---- files ---- */

static int refuse_file(struct lk_error *error, const char *path, const char *why)
{
    lk_error_set(error, "%s: %s", path, why);
    return LK_E_TEXT;
}

static int check_file(const char *path, const struct stat *st, enum lk_key_kind kind, uid_t owner,
                      struct lk_error *error)
{
    if (st->st_uid != 0 && st->st_uid != owner) {
        lk_error_set(error, "%s: belongs to user %u, expected %u or root (chown it)", path,
                     (unsigned int)st->st_uid, (unsigned int)owner);
        return LK_E_TEXT;
    }
    if (kind == LK_KEY_SECRET && st->st_mode & 077)
        return refuse_file(error, path,
                           "others can read this secret key, expected mode 0600 (chmod 600)");
    if (st->st_mode & 022)
        return refuse_file(error, path,
                           "others can write to this file, expected mode 0644 (chmod 644)");
    if (st->st_size > (off_t)LK_KEY_FILE_MAX)
        return refuse_file(error, path, "too large for a key file, expected 64 KiB at most");
    return 0;
}

/* Read until the end of the file, at most @size bytes.
 * Return: 0, negative errno. */
static int read_all(int fd, char *text, size_t size, size_t *ret_n)
{
    size_t n = 0;

    while (n < size) {
        ssize_t r = read(fd, text + n, size - n);

        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return -errno;
        if (r == 0)
            break;
        n += (size_t)r;
    }
    *ret_n = n;
    return 0;
}

static int read_checked(int fd, const char *path, enum lk_key_kind kind, uid_t owner,
                        char **ret_text, size_t *ret_size, struct lk_error *error)
{
    struct stat st;
    size_t n = 0;
    char *text;
    int r;

    /* Use fstat() after open(), so that the check applies to the opened file even if the path is
     * replaced meanwhile. */
    if (fstat(fd, &st))
        return refuse_file(error, path, strerror(errno));
    r = check_file(path, &st, kind, owner, error);
    if (r)
        return r;
    text = calloc(1, LK_KEY_FILE_MAX);
    if (!text)
        return -ENOMEM;
    r = read_all(fd, text, LK_KEY_FILE_MAX, &n);
    if (r) {
        lk_key_file_free(text, n);
        return refuse_file(error, path, strerror(-r));
    }
    *ret_text = text;
    *ret_size = n;
    return 0;
}

int lk_key_file_read(const char *path, enum lk_key_kind kind, uid_t owner, char **ret_text,
                     size_t *ret_size, struct lk_error *ret_error)
{
    int fd = lk_file_open(path), r;

    if (fd < 0)
        return refuse_file(ret_error, path, lk_file_error(fd));
    r = read_checked(fd, path, kind, owner, ret_text, ret_size, ret_error);
    close(fd);
    return r;
}

void lk_key_file_free(char *text, size_t size)
{
    if (text)
        explicit_bzero(text, size);
    free(text);
}

int lk_key_read(const char *path, enum lk_key_kind kind, uid_t owner, char *ret_key,
                struct lk_error *ret_error)
{
    size_t size = 0;
    char *text;
    int r;

    r = lk_key_file_read(path, kind, owner, &text, &size, ret_error);
    if (r)
        return r;
    r = lk_key_parse(path, text, size, ret_key, ret_error);
    lk_key_file_free(text, size);
    return r;
}
