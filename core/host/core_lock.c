/* SPDX-License-Identifier: Apache-2.0 */
/* Locks the cores that a rig owns, with locks on the folders of the cores in sysfs. Finds the
 * holders of locks in proc/locks.
 *
 * Any user can lock these folders. A lock counts only if its process belongs to root, to this user
 * or to the service's account, so that other users cannot keep a rig from starting. */
#include "linkage/host.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_MAX 160
#define ACCOUNT     "linkaged" /* account of the service */
/* A process that only checks a lock holds the lock for less than TRIES times BETWEEN_NS. */
#define TRIES      20
#define BETWEEN_NS 1000000

static int open_core(const char *root, int core)
{
    char path[512];
    int fd;

    snprintf(path, sizeof(path), "%.400s/sys/devices/system/cpu/cpu%d", root, core);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static enum lk_host_lock find_holder(const char *root, int fd, char *ret_text, size_t size);

int lk_host_lock_core(const char *root, int core, enum lk_host_share share)
{
    char ignored[512];
    const int lock = (share == LK_HOST_ALONE ? LOCK_EX : LOCK_SH) | LOCK_NB;
    const struct timespec between = {.tv_nsec = BETWEEN_NS};
    int fd = open_core(root, core), error = EWOULDBLOCK;

    if (fd < 0)
        return fd;
    for (int i = 0; i < TRIES && error == EWOULDBLOCK; i++) {
        if (flock(fd, lock) == 0)
            return fd;
        error = errno;
        nanosleep(&between, NULL);
    }
    if (error == EWOULDBLOCK &&
        find_holder(root, fd, ignored, sizeof(ignored)) == LK_HOST_OBSTRUCTED)
        error = EPERM;
    close(fd);
    return -error;
}

/* Parse "1: FLOCK  ADVISORY  WRITE 123 00:16:3591 0 EOF" for the file @of; lines of waiting
 * processes begin with "->". Return: the process, or 0. */
static int parse_holder(const char *line, const struct stat *of)
{
    unsigned int major, minor;
    unsigned long inode;
    int process;

    if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &process, &major, &minor, &inode) != 4)
        return 0;
    return inode == of->st_ino && makedev(major, minor) == of->st_dev ? process : 0;
}

/* Read the real and effective user of @process. Return: whether they are readable; false if
 * /proc hides the process. */
static bool read_users(const char *root, int process, unsigned int user[2])
{
    char path[512], line[256];
    bool found = false;
    FILE *file;

    snprintf(path, sizeof(path), "%.400s/proc/%d/status", root, process);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = sscanf(line, "Uid: %u %u", &user[0], &user[1]) == 2;
    fclose(file);
    return found;
}

static bool may_lock(unsigned int user)
{
    const struct passwd *account = getpwnam(ACCOUNT);

    return user == 0 || user == geteuid() || (account != NULL && user == account->pw_uid);
}

/* struct holder - holder of a lock. @process: 0: no holder is listed;  @counts: whether its
 * lock counts;  @user: real user, if known */
struct holder {
    int process;
    bool counts;
    bool is_known;
    unsigned int user;
};

static struct holder judge_holder(const char *root, int process)
{
    struct holder holder = {.process = process};
    unsigned int user[2];

    holder.is_known = read_users(root, process, user);
    holder.counts = holder.is_known && may_lock(user[0]) && may_lock(user[1]);
    holder.user = holder.is_known ? user[0] : 0;
    return holder;
}

/* Return the first holder whose lock counts, or else the first holder. */
static struct holder list_holders(const char *root, const struct stat *of)
{
    struct holder found = {0};
    char path[512], line[256];
    FILE *file;

    snprintf(path, sizeof(path), "%.400s/proc/locks", root);
    file = fopen(path, "re");
    if (file == NULL)
        return found;
    while (!found.counts && fgets(line, sizeof(line), file) != NULL) {
        int process = parse_holder(line, of);
        struct holder holder = process > 0 ? judge_holder(root, process) : found;

        if (holder.counts || found.process == 0)
            found = holder;
    }
    fclose(file);
    return found;
}

/* Read the command line of @process, as clean text; "" if it is hidden. */
static void read_command(const char *root, int process, char command[COMMAND_MAX])
{
    char path[512];
    size_t n = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%.400s/proc/%d/cmdline", root, process);
    file = fopen(path, "re");
    if (file != NULL) {
        n = fread(command, 1, COMMAND_MAX - 1, file);
        fclose(file);
    }
    while (n > 0 && command[n - 1] == '\0')
        n--;
    command[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (command[i] == '\0')
            command[i] = ' ';
        else if (!isprint((unsigned char)command[i]))
            command[i] = '?';
}

/* Find the holder of a core whose lock is held. */
static enum lk_host_lock find_holder(const char *root, int fd, char *ret_text, size_t size)
{
    struct holder holder = {0};
    char command[COMMAND_MAX], user[32] = "";
    struct stat of;

    if (fstat(fd, &of) == 0)
        holder = list_holders(root, &of);
    if (holder.process == 0) { /* the holder is outside of this process namespace */
        snprintf(ret_text, size, "a process that cannot be seen from here");
        return LK_HOST_LOCKED;
    }
    read_command(root, holder.process, command);
    if (!holder.counts)
        snprintf(user, sizeof(user), holder.is_known ? " of user %u" : " of another user",
                 holder.user);
    if (command[0] != '\0')
        snprintf(ret_text, size, "process %d (%s)%s", holder.process, command, user);
    else
        snprintf(ret_text, size, "process %d%s", holder.process, user);
    return holder.counts ? LK_HOST_LOCKED : LK_HOST_OBSTRUCTED;
}

enum lk_host_lock lk_host_core_holder(const char *root, int core, char *ret_text, size_t size)
{
    enum lk_host_lock lock = LK_HOST_UNLOCKED;
    int fd = open_core(root, core);

    ret_text[0] = '\0';
    if (fd < 0)
        return LK_HOST_UNLOCKED;
    if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        lock = find_holder(root, fd, ret_text, size);
    close(fd); /* also releases the lock of the check */
    return lock;
}
