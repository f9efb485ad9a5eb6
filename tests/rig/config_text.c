/* SPDX-License-Identifier: Apache-2.0 */
#include "config_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

char config_folder[RIG_FOLDER];
char config_file[RIG_FOLDER + 16];

int config_text_open(void **state)
{
    (void)state;
    if (rig_folder_make("linkaged-config", config_folder))
        return -1;
    snprintf(config_file, sizeof(config_file), "%s/l.yaml", config_folder);
    return 0;
}

int config_text_close(void **state)
{
    (void)state;
    return rig_folder_remove(config_folder);
}

static int read_lines(const char *first, const char *text, struct lkd_config *ret_config,
                      struct lk_error *ret_error)
{
    FILE *out = fopen(config_file, "we");

    assert_non_null(out);
    fprintf(out, "%s%s", first, text);
    assert_int_equal(fclose(out), 0);
    return lkd_config_read(config_file, ret_config, ret_error);
}

int config_text_read(const char *text, struct lkd_config *ret_config, struct lk_error *ret_error)
{
    return read_lines("", text, ret_config, ret_error);
}

int config_text_read_rest(const char *text, struct lkd_config *ret_config,
                          struct lk_error *ret_error)
{
    return read_lines("linkaged: 1\n", text, ret_config, ret_error);
}

void config_text_refused(const char *text, const char *place, const char *words)
{
    struct lkd_config config = {.wish.priority = -1};
    struct lk_error error;
    char start[128];

    assert_int_equal(config_text_read(text, &config, &error), LK_E_TEXT);
    snprintf(start, sizeof(start), "%s:%s: ", config_file, place);
    if (strncmp(error.text, start, strlen(start)) != 0 || !strstr(error.text, words))
        fail_msg("'%s' does not start with '%s' or lacks '%s'", error.text, start, words);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(config.wish.priority, -1);
}
