/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that a test writes and the daemon's reader reads. */
#ifndef TESTS_RIG_CONFIG_TEXT_H
#define TESTS_RIG_CONFIG_TEXT_H

#include "config.h"
#include "folder.h"

/** config_folder, config_file - paths of folder and file. They exist from config_text_open() to
 * config_text_close(), the set-up and tear-down of a group of tests. */
extern char config_folder[RIG_FOLDER];
extern char config_file[RIG_FOLDER + 16];
int config_text_open(void **state);
int config_text_close(void **state);

/** config_text_read() - Write @text to the file and read the file.  Return: as
 * lkd_config_read(). */
int config_text_read(const char *text, struct lkd_config *ret_config, struct lk_error *ret_error);
/** config_text_read_rest() - Write @text, preceded by the line "linkaged: 1", to the file and read
 * the file. */
int config_text_read_rest(const char *text, struct lkd_config *ret_config,
                          struct lk_error *ret_error);

/** config_text_refused() - Assert that @text is refused with a one-line error at @place
 * ("LINE:COLUMN") that contains @words, and that no configuration is returned. */
void config_text_refused(const char *text, const char *place, const char *words);

#endif
