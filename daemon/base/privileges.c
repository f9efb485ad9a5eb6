/* SPDX-License-Identifier: Apache-2.0 */
#include "privileges.h"
#include "log.h"
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned int kept[] = {CAP_SYS_NICE, CAP_IPC_LOCK};

#define N_KEPT (sizeof(kept) / sizeof(kept[0]))

int lkd_privileges_find(const char *user, struct lkd_identity *ret_identity,
                        struct lk_error *ret_error)
{
    const struct passwd *entry;

    *ret_identity = (struct lkd_identity){geteuid(), getegid(), false};
    if (!*user)
        return 0;
    entry = getpwnam(user);
    if (!entry) {
        lk_error_set(ret_error,
                     "privileges: there is no user '%s' on this machine (useradd --system)", user);
        return LK_E_TEXT;
    }
    if (entry->pw_uid == geteuid())
        return 0;
    if (geteuid() != 0) {
        lk_error_set(ret_error,
                     "privileges: only root can become user '%s'; start the daemon as root or as "
                     "that user",
                     user);
        return LK_E_TEXT;
    }
    *ret_identity = (struct lkd_identity){entry->pw_uid, entry->pw_gid, true};
    return 0;
}

static int refuse_privilege(struct lk_error *error, const char *what)
{
    lk_error_set(error, "privileges: %s: %s", what, strerror(errno));
    return LK_E_TEXT;
}

/* Return true if there is a capability to drop. A service under systemd starts without
 * capabilities, and its system call filter kills a process that calls capset() nevertheless. */
static bool has_capability(void)
{
    capng_get_caps_process();
    for (unsigned int i = 0; i <= CAP_LAST_CAP; i++)
        if (capng_have_capability(CAPNG_PERMITTED, i) ||
            capng_have_capability(CAPNG_INHERITABLE, i))
            return true;
    return false;
}

/* Select the capabilities that remain.
 * Return: true if the bounding set can be emptied too. */
static bool choose_capabilities(void)
{
    bool had[N_KEPT], may_bound;

    capng_get_caps_process();
    for (size_t i = 0; i < N_KEPT; i++)
        had[i] = capng_have_capability(CAPNG_PERMITTED, kept[i]) == 1;
    may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) == 1;
    capng_clear(CAPNG_SELECT_ALL);
    for (size_t i = 0; i < N_KEPT; i++)
        if (had[i])
            capng_update(CAPNG_ADD, (capng_type_t)(CAPNG_EFFECTIVE | CAPNG_PERMITTED), kept[i]);
    return may_bound;
}

int lkd_privileges_drop(const struct lkd_identity *identity, struct lk_error *ret_error)
{
    bool may_drop = has_capability(), may_bound = choose_capabilities();
    int r = 0;

    errno = EPERM;
    if (identity->change)
        r = capng_change_id((int)identity->uid, (int)identity->gid,
                            (capng_flags_t)(CAPNG_INIT_SUPP_GRP | CAPNG_CLEAR_AMBIENT |
                                            (may_bound ? CAPNG_CLEAR_BOUNDING : 0)));
    else if (may_drop)
        r = capng_apply(may_bound ? CAPNG_SELECT_ALL
                                  : (capng_select_t)(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT));
    if (r)
        return refuse_privilege(ret_error, "capabilities or user cannot be dropped");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return refuse_privilege(ret_error, "no_new_privs");
    if (geteuid() != identity->uid || getuid() != identity->uid || getegid() != identity->gid) {
        errno = EPERM;
        return refuse_privilege(ret_error, "the change of user has not taken place");
    }
    return 0;
}

void lkd_privileges_drop_all(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!has_capability())
        return;
    capng_clear(CAPNG_SELECT_ALL);
    capng_apply(CAPNG_SELECT_CAPS);
}

void lkd_privileges_raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int lkd_privileges_try_folder(const char *path)
{
    struct stat at;

    if (!*path)
        return 0;
    if (stat(path, &at) != 0)
        return errno;
    if (!S_ISDIR(at.st_mode))
        return ENOTDIR;
    return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

void lkd_privileges_check_folder(const char *what, const char *path)
{
    int fault = lkd_privileges_try_folder(path);

    if (fault != 0)
        lkd_log(LKD_C_FOLDER_REFUSED, "%s: %s: %s for user %u, nothing will be stored there", what,
                path, strerror(fault), (unsigned int)geteuid());
}
