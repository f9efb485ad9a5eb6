/* SPDX-License-Identifier: Apache-2.0 */
/* Dropping of privileges after the setup of the daemon.
 *
 * Capabilities belong to a thread, and new threads inherit them. Therefore privileges are dropped
 * while the process has one thread, before the line process starts. If the daemon had CAP_SYS_NICE
 * or CAP_IPC_LOCK, it keeps these two. Later runs need them to set the priorities and cores of
 * their threads and to lock memory. Programs that the daemon executes gain no other capability. If
 * the daemon stays root, it opens files without root's override of permissions. */
#ifndef LKD_PRIVILEGES_H
#define LKD_PRIVILEGES_H

#include "linkage/error.h"
#include <stdbool.h>
#include <sys/types.h>

#define LKD_USER_SIZE 64 /* bytes of a user's name, including its terminating zero */

/** struct lkd_identity - user and group that the daemon runs as.
 * @change: user or group differ from the present ones */
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
 * above.
 * Thread: the only thread of the process.
 * Return: 0, LK_E_TEXT. */
int lkd_privileges_drop(const struct lkd_identity *identity, struct lk_error *ret_error);

/** lkd_privileges_drop_all() - Drop every capability, for a process that needs none.
 * Thread: the only thread of the process. */
void lkd_privileges_drop_all(void);

/** lkd_privileges_raise_descriptors() - Raise the limit of open descriptors to the hard limit. */
void lkd_privileges_raise_descriptors(void);

/** lkd_privileges_try_folder() - Test whether the process can create files in the folder @path with
 * its present rights. "" is accepted without a test.
 * Return: 0, positive errno. */
int lkd_privileges_try_folder(const char *path);

/** lkd_privileges_check_folder() - Log a warning if the process cannot create files in the folder
 * @path. "" is accepted without a test.
 * @what: the key of the configuration that names the folder */
void lkd_privileges_check_folder(const char *what, const char *path);

#endif
