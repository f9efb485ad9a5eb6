/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of messages. A stream has colours if it is a terminal that is not dumb (TERM) and the
 * environment variable NO_COLOR is unset or empty (no-color.org); otherwise all functions return
 * "". Thread: main. */
#ifndef TOOLS_COMMON_TONE_H
#define TOOLS_COMMON_TONE_H

#include <stdio.h>

/** enum tone - meaning of a text, which determines its colour. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARNING, TONE_ERROR, TONE_HEAD };

/** tone_begin() - Return the control sequence that begins a text on the stream @to.
 * tone_end() - Return the one that ends it. */
const char *tone_begin(FILE *to, enum tone tone);
const char *tone_end(FILE *to);

#endif
