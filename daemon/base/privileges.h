/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon may still do once it is set up.
 *
 * Capabilities belong to a thread and are inherited when one is made, so all of this happens while
 * there is one thread, before the line process. What is left are CAP_SYS_NICE (priorities and cores
 * of the threads of later runs) and CAP_IPC_LOCK (memory of later runs), as far as they were there;
 * no program that the daemon might be made to execute gains more. As root without another user to
 * become, files are from then on opened as any other user would who owns what root owns. */
#ifndef LKD_PRIVILEGES_H
#define LKD_PRIVILEGES_H

#include "linkage/error.h"
#include <stdbool.h>
#include <sys/types.h>

#define LKD_USER_SIZE 64 /* bytes of a user's name with its zero */

/** struct lkd_identity - as whom the daemon serves. @change: that is somebody else */
struct lkd_identity {
    uid_t uid;
    gid_t gid;
    bool change;
};

/** lkd_privileges_find() - who @user is; "" is who started the daemon.
 * Return: 0, LK_E_TEXT (no such user, or only root could become it). */
int lkd_privileges_find(const char *user, struct lkd_identity *ret_identity,
                        struct lk_error *ret_error);

/** lkd_privileges_drop() - become @identity, with its groups, and keep nothing but the above.
 * Thread: the only one there is.
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
