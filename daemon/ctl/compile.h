/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and compiling a model in a thread of its own, at normal priority and off the cores of the
 * cycle. The control thread begins it, polls it, and may cancel it; they share nothing else.
 * Control thread only. */
#ifndef LKD_CTL_COMPILE_H
#define LKD_CTL_COMPILE_H

#include "loaded.h"

struct lkd_compile;

/** lkd_compile_begin() - of the text of a model.
 * @name: how messages call it;  @text: @size bytes; copied;  @values: from outside, as
 * lk_settings_write() has them; copied;  @settings: stay the caller's
 * Return: 0, negative errno. */
int lkd_compile_begin(const char *name, const char *text, size_t size, const char *values,
                      const struct lkd_settings *settings, struct lkd_compile **ret_compile);

/** lkd_compile_begin_file() - of the file at @path. */
int lkd_compile_begin_file(const char *path, const struct lkd_settings *settings,
                           struct lkd_compile **ret_compile);

/** lkd_compile_name() - as given. */
const char *lkd_compile_name(const struct lkd_compile *compile);
/** lkd_compile_ns() - since it began. */
int64_t lkd_compile_ns(const struct lkd_compile *compile);
/** lkd_compile_fd() - readable when it is done. */
int lkd_compile_fd(const struct lkd_compile *compile);
/** lkd_compile_is_done() - whether lkd_compile_end() has nothing to wait for. */
bool lkd_compile_is_done(const struct lkd_compile *compile);

/** lkd_compile_cancel() - make it end soon, with -ECANCELED unless it completes before. */
void lkd_compile_cancel(struct lkd_compile *compile);

/** lkd_compile_end() - the outcome of one that is done; releases @compile.
 * Return: as lkd_loaded_new(), -ECANCELED. */
int lkd_compile_end(struct lkd_compile *compile, struct lkd_loaded **ret_loaded,
                    struct lk_errors *ret_errors);

/** lkd_compile_abandon() - cancel it and release its result. A thread that does not end within a
 * second is left behind with its memory: for the end of the daemon. */
void lkd_compile_abandon(struct lkd_compile *compile);

#endif
