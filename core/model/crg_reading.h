/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the reader of OpenCRG files: crg_head.c reads the head, crg.c the numbers after
 * it. */
#ifndef LK_MODEL_CRG_READING_H
#define LK_MODEL_CRG_READING_H

#include "crg.h"

#include <locale.h>
#include <stdbool.h>

#define LK_CRG_LINE_MAX   200
#define LK_CRG_NUMBER_MAX 1e9 /* largest magnitude of any number [m] */

enum lk_crg_section {
    LK_CRG_NONE,
    LK_CRG_COMMENT,
    LK_CRG_ROAD,
    LK_CRG_DEFINITION,
    LK_CRG_WITHOUT_EFFECT,
    LK_CRG_MODIFIERS,
    LK_CRG_REFERENCES
};

enum lk_crg_channel { LK_CRG_OTHER, LK_CRG_PHI, LK_CRG_SLOPE, LK_CRG_BANKING, LK_CRG_LONG };

/** struct lk_crg_reading - state of the reader. @at: next byte;  @line: its line number
 * @start_u, @end_u, @right, @left, @step_v: [m], NAN: not given
 * @channel: type of each channel;  @place: v of a long section [m], NAN: only its number is given
 * @is_double, @is_binary: format of the numbers;  @format: line that states it, 0: none */
struct lk_crg_reading {
    const char *name;
    const char *bytes;
    size_t size;
    size_t at;
    int line;
    struct lk_crg *crg;
    struct lk_errors *errors;
    locale_t locale;
    enum lk_crg_section section;
    double start_u;
    double end_u;
    double right;
    double left;
    double step_v;
    int n_channels;
    enum lk_crg_channel channel[LK_CRG_CHANNELS_MAX];
    double place[LK_CRG_CHANNELS_MAX];
    bool is_double;
    bool is_binary;
    int format;
};

/** lk_crg_refuse() - add a message about an error in @line, 0: about the whole file.
 * lk_crg_note() - add a note about an entry without effect in the present line. */
void lk_crg_refuse(struct lk_crg_reading *r, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lk_crg_note(struct lk_crg_reading *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lk_crg_trim() - remove the blanks around @text, in place. Return: its first character. */
char *lk_crg_trim(char *text);

/** lk_crg_number() - parse a number. Return: whether the whole @text is a number within
 * LK_CRG_NUMBER_MAX. */
bool lk_crg_number(const struct lk_crg_reading *r, const char *text, double *ret);

/** lk_crg_next_line() - read the next line, without its line feed. Return: whether there was a
 * line. */
bool lk_crg_next_line(struct lk_crg_reading *r, char text[LK_CRG_LINE_MAX + 1], size_t *ret_length);

/** lk_crg_count() - count the channels of a @kind. */
int lk_crg_count(const struct lk_crg_reading *r, enum lk_crg_channel kind);

/** lk_crg_read_head() - read the file up to the numbers, and compute the positions of the long
 * sections; allocates crg->v. Adds errors to r->errors. Return: 0, -ENOMEM. */
int lk_crg_read_head(struct lk_crg_reading *r);

#endif
