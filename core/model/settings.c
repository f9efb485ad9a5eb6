/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps values from outside as a list, and writes the list as a text. */
#include "parameters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lk_is_path(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-.";
    size_t size = strlen(text);
    bool begins = true;

    if (size == 0 || size >= LK_PATH_SIZE || strspn(text, allowed) != size)
        return false;
    for (; *text != '\0'; text++) {
        if (begins && *text == '.')
            return false;
        begins = *text == '.';
    }
    return !begins;
}

/* Read @text as a number. Return: whether the whole text is a number. */
static bool take_number(const char *text, double *ret)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    bool is_number = c_locale != (locale_t)0 && lk_decimal(text, c_locale, ret);

    if (c_locale != (locale_t)0)
        freelocale(c_locale);
    return is_number;
}

int lk_setting_parse(const char *text, char *ret_path, double *ret_value,
                     struct lk_error *ret_error)
{
    const char *equals = strchr(text, '=');
    char path[LK_PATH_SIZE] = "";

    if (equals != NULL && equals - text < LK_PATH_SIZE)
        snprintf(path, sizeof(path), "%.*s", (int)(equals - text), text);
    if (!lk_is_path(path) || !take_number(equals + 1, ret_value)) {
        lk_error_set(ret_error,
                     "parameter '%.80s', expected PATH=NUMBER such as bodies.arm.mass=2.5", text);
        return LK_E_TEXT;
    }
    memcpy(ret_path, path, strlen(path) + 1);
    return 0;
}

int lk_settings_add(struct lk_settings *settings, const char *path, double value)
{
    struct lk_setting *list;
    char *own;

    if (!lk_is_path(path) || !isfinite(value))
        return -EINVAL;
    if (settings->n == LK_SETTINGS_MAX)
        return -E2BIG;
    list = realloc(settings->list, ((size_t)settings->n + 1) * sizeof(*list));
    if (list == NULL)
        return -ENOMEM;
    settings->list = list;
    own = strdup(path);
    if (own == NULL)
        return -ENOMEM;
    list[settings->n++] = (struct lk_setting){own, value};
    return 0;
}

void lk_settings_fini(struct lk_settings *settings)
{
    for (int i = 0; i < settings->n; i++)
        free((char *)settings->list[i].path);
    free(settings->list);
    *settings = (struct lk_settings){0};
}

int lk_settings_read(const char *text, struct lk_settings *ret, struct lk_error *ret_error)
{
    char word[LK_PATH_SIZE + 64], path[LK_PATH_SIZE];
    double value = 0;
    int result = 0;

    while (*text != '\0' && result == 0) {
        size_t size = strcspn(text, " ");

        snprintf(word, sizeof(word), "%.*s", (int)size, text);
        result = lk_setting_parse(word, path, &value, ret_error);
        if (result == 0)
            result = lk_settings_add(ret, path, value);
        text += size + (text[size] == ' ');
    }
    if (result == -E2BIG) {
        lk_error_set(ret_error, "more than %d parameters, expected at most so many",
                     LK_SETTINGS_MAX);
        result = LK_E_TEXT;
    }
    return result;
}

int lk_settings_write(const struct lk_settings *settings, char **ret_text)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    size_t size = 1, used = 0;
    char *text, number[32];

    for (int i = 0; i < settings->n; i++)
        size += strlen(settings->list[i].path) + sizeof(number) + 2;
    text = c_locale != (locale_t)0 ? calloc(size, 1) : NULL;
    for (int i = 0; i < settings->n && text != NULL; i++) {
        lk_decimal_text(settings->list[i].value, c_locale, number);
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i > 0 ? " " : "",
                                 settings->list[i].path, number);
    }
    if (c_locale != (locale_t)0)
        freelocale(c_locale);
    if (text == NULL)
        return -ENOMEM;
    *ret_text = text;
    return 0;
}
