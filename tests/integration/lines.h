/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the line process of a daemon under test. Failures end the test. */
#ifndef TEST_LINES_H
#define TEST_LINES_H

#include "harness.h"

/** line_await_other() - Wait until there is a line process other than @before. */
void line_await_other(const struct harness *h, pid_t before);

/** line_end() - Send @signal to the line process, and wait for the next one. */
void line_end(const struct harness *h, int signal);

#endif
