/* SPDX-License-Identifier: Apache-2.0 */
/* The cores of this daemon, and no other's: each that a real-time thread of it has is locked for as
 * long as the process lives, so that two rigs on a machine do not run on one core unawares. */
#ifndef LKD_CORES_H
#define LKD_CORES_H

#include "config.h"
#include "placement.h"

/** lkd_cores_take() - place the workers of the cycle on cores that no other rig has, and take
 * these. Without a real-time priority nothing is taken: such threads take turns. Where cores cannot
 * be locked that is logged, and they are as good as free. Thread: control, once, before there is
 * another. Return: 0, LK_E_MODEL (@ret_error: what is missing, or which process has the core),
 * negative errno. */
int lkd_cores_take(const struct lkd_config *config, struct lkd_placement *ret_placement,
                   struct lk_error *ret_error);

/** lkd_cores_settle_exchange() - decide the priority of what carries samples, where the
 * configuration says auto: half of the cycle's, if the process may have it and there is a core
 * beside those of
 * @placement; else normal.
 * @wish:    of @config; its priority is a number afterwards
 * @ret_why: @size bytes: why it is normal; "": it is not, or was asked for
 * Thread: control, once, when the cores are taken. Return: 0, negative errno. */
int lkd_cores_settle_exchange(const struct lkd_config *config,
                              const struct lkd_placement *placement, struct lkd_thread_wish *wish,
                              char *ret_why, size_t size);

/** lkd_cores_check() - whether the cores asked for by number are there, and whether
 * lkd_cores_take() would get its cores now; takes and locks none.
 * @ret_note: @size bytes: which core a rig of this very configuration has (its command line names
 *            the file), which counts as free; or that `auto` finds none now, as others have them,
 *            which a start settles anew; "" for none
 * Thread: control.  Return: as lkd_cores_take(). */
int lkd_cores_check(const struct lkd_config *config, char *ret_note, size_t size,
                    struct lk_error *ret_error);

#endif
