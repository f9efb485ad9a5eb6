/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the reader of OpenCRG files share: crg_head.c reads the head, crg.c the
 * numbers behind it. */
#ifndef LK_MODEL_CRG_READING_H
#define LK_MODEL_CRG_READING_H

#include "crg.h"

#include <locale.h>
#include <stdbool.h>

#define LK_CRG_LINE_MAX   200
#define LK_CRG_NUMBER_MAX 1e9 /* of any number [m] */

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

/** struct lk_crg_reading - of one file. @at: next byte;  @line: its number
 * @start_u, @end_u, @right, @left, @step_v: NAN: not given
 * @channel, @place: kind of each, and v of a long section, NAN: by its number
 * @is_double, @is_binary: format of the numbers;  @format: line where it stands, 0: nowhere */
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

/** lk_crg_refuse() - a line about a mistake in @line, 0: about the whole file.
 * lk_crg_note() - a line about what has no effect, in the present line. */
void lk_crg_refuse(struct lk_crg_reading *r, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lk_crg_note(struct lk_crg_reading *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lk_crg_trim() - @text without blanks around it; writes into it. */
char *lk_crg_trim(char *text);

/** lk_crg_number() - Return: whether all of @text is a number within LK_CRG_NUMBER_MAX. */
bool lk_crg_number(const struct lk_crg_reading *r, const char *text, double *ret);

/** lk_crg_next_line() - the next line, without its end. Return: whether there is one. */
bool lk_crg_next_line(struct lk_crg_reading *r, char text[LK_CRG_LINE_MAX + 1], size_t *ret_length);

/** lk_crg_count() - Return: channels of a @kind. */
int lk_crg_count(const struct lk_crg_reading *r, enum lk_crg_channel kind);

/** lk_crg_read_head() - up to the numbers, and where the long sections are; crg->v is allocated.
 * Mistakes are among the errors. Return: 0, -ENOMEM. */
int lk_crg_read_head(struct lk_crg_reading *r);

#endif
