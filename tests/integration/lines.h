/* SPDX-License-Identifier: Apache-2.0 */
/* The line process of a daemon under test: its end. Failures end
 * the test. */
#ifndef TEST_LINES_H
#define TEST_LINES_H

#include "harness.h"

/** line_await_other() - wait until there is one that is not @before. */
void line_await_other(const struct harness *h, pid_t before);

/** line_end() - send @signal to it, and wait for another one. */
void line_end(const struct harness *h, int signal);

#endif
