/* SPDX-License-Identifier: Apache-2.0 */
#include "json_valid.h"

#include <stdbool.h>
#include <string.h>

#define DEPTH_MAX 32

static bool skip_value(const char **at, int depth);

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool skip_word(const char **at, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool skip_digits(const char **at)
{
    size_t n = strspn(*at, "0123456789");

    *at += n;
    return n > 0;
}

static bool skip_number(const char **at)
{
    skip_word(at, "-");
    if (!skip_word(at, "0") && !skip_digits(at))
        return false;
    if (skip_word(at, ".") && !skip_digits(at))
        return false;
    if (**at == 'e' || **at == 'E') {
        ++*at;
        if (**at == '+' || **at == '-')
            ++*at;
        return skip_digits(at);
    }
    return true;
}

static bool skip_escape(const char **at)
{
    ++*at;
    if (**at != '\0' && strchr("\"\\/bfnrt", **at) != NULL) {
        ++*at;
        return true;
    }
    if (!skip_word(at, "u") || strspn(*at, "0123456789abcdefABCDEF") < 4)
        return false;
    *at += 4;
    return true;
}

/* Skip a multi-byte character. A code point below the smallest one of its length is an overlong
 * form and invalid.
 * Return: false if invalid */
static bool skip_multibyte(const char **at)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*at;
    int n = (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
    unsigned long code;

    if (n == 0)
        return false;
    code = s[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return false;
        code = code << 6 | (s[i] & 0x3f);
    }
    *at += n;
    return code >= least[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static bool skip_string(const char **at)
{
    if (!skip_word(at, "\""))
        return false;
    while (**at != '"') {
        unsigned char c = (unsigned char)**at;
        bool ok = true;

        if (c < 0x20)
            return false;
        if (c == '\\')
            ok = skip_escape(at);
        else if (c < 0x80)
            ++*at;
        else
            ok = skip_multibyte(at);
        if (!ok)
            return false;
    }
    ++*at;
    return true;
}

/* Skip an object or an array. They differ in their brackets, and members of an object have a key.
 * Return: false if invalid */
static bool skip_members(const char **at, bool object, int depth)
{
    const char *end = object ? "}" : "]";

    ++*at;
    skip_space(at);
    if (skip_word(at, end))
        return true;
    do {
        skip_space(at);
        if (object) {
            if (!skip_string(at))
                return false;
            skip_space(at);
            if (!skip_word(at, ":"))
                return false;
        }
        if (!skip_value(at, depth + 1))
            return false;
        skip_space(at);
    } while (skip_word(at, ","));
    return skip_word(at, end);
}

static bool skip_value(const char **at, int depth)
{
    skip_space(at);
    if (depth > DEPTH_MAX)
        return false;
    switch (**at) {
    case '{':
        return skip_members(at, true, depth);
    case '[':
        return skip_members(at, false, depth);
    case '"':
        return skip_string(at);
    case 't':
        return skip_word(at, "true");
    case 'f':
        return skip_word(at, "false");
    case 'n':
        return skip_word(at, "null");
    default:
        return skip_number(at);
    }
}

bool json_valid(const char *text, int *ret_at)
{
    const char *at = text;
    bool good = *text == '{' && skip_value(&at, 0) && strcmp(at, "\n") == 0;

    *ret_at = (int)(at - text) + 1;
    return good;
}
