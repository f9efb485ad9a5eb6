/* SPDX-License-Identifier: Apache-2.0 */
/* Exclusive cores of this daemon. Each core of a real-time thread stays locked for the lifetime of
 * the process, so that two rigs on a machine cannot share a core unintentionally. */
#ifndef LKD_CORES_H
#define LKD_CORES_H

#include "config.h"
#include "placement.h"

/** lkd_cores_take() - Place the workers of the cycle on cores that no other rig has locked, and
 * lock them. Without a real-time priority no core is locked, because threads of normal priority can
 * time-share. If locks are impossible on this machine, this is logged and the cores count as free.
 * Thread: control, once, before other threads exist.
 * Return: 0, LK_E_MODEL (@ret_error: the missing resource, or the process that has locked the
 * core), negative errno. */
int lkd_cores_take(const struct lkd_config *config, struct lkd_placement *ret_placement,
                   struct lk_error *ret_error);

/** lkd_cores_settle_exchange() - Set the priority of the exchange thread and the line process if
 * the configuration says `auto`: half of the cycle's priority, if the process may use it and a core
 * outside @placement exists; otherwise normal priority.
 * @wish:    copied from @config; in: priority may be `auto`, out: a number
 * @ret_why: @size bytes; reason for normal priority; "" if the priority is real-time or normal
 *           priority was requested
 * Thread: control, once, after lkd_cores_take().
 * Return: 0, negative errno. */
int lkd_cores_settle_exchange(const struct lkd_config *config,
                              const struct lkd_placement *placement, struct lkd_thread_wish *wish,
                              char *ret_why, size_t size);

/** lkd_cores_check() - Check that the cores requested by number exist and that lkd_cores_take()
 * would succeed now. Locks no core. A core locked by a rig with the same configuration file (on its
 * command line) counts as free.
 * @ret_note: @size bytes, "" for none: a core locked by such a rig, or a note that `auto` finds no
 *            free core now (a start searches again)
 * Thread: control.
 * Return: as lkd_cores_take(). */
int lkd_cores_check(const struct lkd_config *config, char *ret_note, size_t size,
                    struct lk_error *ret_error);

#endif
