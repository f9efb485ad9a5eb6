/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and compiling a model in a separate thread, at normal priority and outside of the cycle's
 * cores. The control thread begins the compilation, polls it, and may cancel it. The two threads
 * share no other data. Control thread only. */
#ifndef LKD_CTL_COMPILE_H
#define LKD_CTL_COMPILE_H

#include "loaded.h"

struct lkd_compile;

/** lkd_compile_begin() - Begin to compile the text of a model.
 * @name:     name of the text in messages
 * @text:     @size bytes, copied
 * @values:   external values in the format of lk_settings_write(), copied
 * @settings: owned by the caller
 * Return: 0, negative errno. */
int lkd_compile_begin(const char *name, const char *text, size_t size, const char *values,
                      const struct lkd_settings *settings, struct lkd_compile **ret_compile);

/** lkd_compile_begin_file() - Begin to compile the file at @path. */
int lkd_compile_begin_file(const char *path, const struct lkd_settings *settings,
                           struct lkd_compile **ret_compile);

/** lkd_compile_name() - Return the name passed to lkd_compile_begin(), or the path passed to
 * lkd_compile_begin_file(). */
const char *lkd_compile_name(const struct lkd_compile *compile);
/** lkd_compile_ns() - Return the time since compiling began [ns]. */
int64_t lkd_compile_ns(const struct lkd_compile *compile);
/** lkd_compile_fd() - Return a descriptor that becomes readable when compiling is done. */
int lkd_compile_fd(const struct lkd_compile *compile);
/** lkd_compile_is_done() - Return true if lkd_compile_end() would not block. */
bool lkd_compile_is_done(const struct lkd_compile *compile);

/** lkd_compile_cancel() - Request that compiling ends early. The outcome is -ECANCELED, unless
 * compiling completes first. */
void lkd_compile_cancel(struct lkd_compile *compile);

/** lkd_compile_end() - Return the outcome and release @compile. Blocks unless
 * lkd_compile_is_done().
 * Return: as lkd_loaded_new(), -ECANCELED. */
int lkd_compile_end(struct lkd_compile *compile, struct lkd_loaded **ret_loaded,
                    struct lk_errors *ret_errors);

/** lkd_compile_abandon() - Cancel compiling and release its result. If the thread does not end
 * within a second, it and its memory are leaked, so call this only at the end of the daemon. */
void lkd_compile_abandon(struct lkd_compile *compile);

#endif
