/* SPDX-License-Identifier: Apache-2.0 */
/* Dropping of privileges after the setup of the daemon.
 *
 * Capabilities belong to a thread, and new threads inherit them. Therefore all of this happens
 * while the process has one thread, before the line process starts. The daemon keeps CAP_SYS_NICE
 * (priorities and cores of the threads of later runs) and CAP_IPC_LOCK (memory of later runs) if it
 * had them. Programs that it executes gain no others. If it stays root, it opens files without
 * root's override of permissions: with the rights of an ordinary owner. */
#ifndef LKD_PRIVILEGES_H
#define LKD_PRIVILEGES_H

#include "linkage/error.h"
#include <stdbool.h>
#include <sys/types.h>

#define LKD_USER_SIZE 64 /* bytes of a user's name with its zero */

/** struct lkd_identity - user and group of the serving daemon. @change: they differ from the
 * present ones */
struct lkd_identity {
    uid_t uid;
    gid_t gid;
    bool change;
};

/** lkd_privileges_find() - Look up @user; "" is the user who started the daemon.
 * Return: 0, LK_E_TEXT (no such user, or the change needs root). */
int lkd_privileges_find(const char *user, struct lkd_identity *ret_identity,
                        struct lk_error *ret_error);

/** lkd_privileges_drop() - Change to @identity and its groups; keep only the capabilities listed
 * above. Thread: the only thread of the process.
 * Return: 0, LK_E_TEXT. */
int lkd_privileges_drop(const struct lkd_identity *identity, struct lk_error *ret_error);

/** lkd_privileges_drop_all() - keep no capability, for a process that needs none.
 * Thread: the only one there is. */
void lkd_privileges_drop_all(void);

/** lkd_privileges_raise_descriptors() - as many as the hard limit allows. */
void lkd_privileges_raise_descriptors(void);

/** lkd_privileges_try_folder() - whether files can be made in the folder @path, with the rights
 * that there are now; "" is fine. Return: 0, errno. */
int lkd_privileges_try_folder(const char *path);

/** lkd_privileges_check_folder() - say in the log when files cannot be made in @path; "" is fine.
 * @what: for which key of the configuration */
void lkd_privileges_check_folder(const char *what, const char *path);

#endif
