/* SPDX-License-Identifier: Apache-2.0 */
/* Which core belongs to which rig: locks on the folders of the cores in sysfs, and who holds them
 * by proc/locks. */
#include "linkage/host.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_MAX 160
/* Who only looks whether a core is taken has it for less than this. */
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

int lk_host_lock_core(const char *root, int core, enum lk_host_share share)
{
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
    close(fd);
    return -error;
}

/* "1: FLOCK  ADVISORY  WRITE 123 00:16:3591 0 EOF" of the file @of; those that wait have "->" in
 * front. Return: the process, or 0. */
static int parse_holder(const char *line, const struct stat *of)
{
    unsigned int major, minor;
    unsigned long inode;
    int process;

    if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &process, &major, &minor, &inode) != 4)
        return 0;
    return inode == of->st_ino && makedev(major, minor) == of->st_dev ? process : 0;
}

static int find_holder(const char *root, const struct stat *of)
{
    char path[512], line[256];
    int process = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%.400s/proc/locks", root);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (process == 0 && fgets(line, sizeof(line), file) != NULL)
        process = parse_holder(line, of);
    fclose(file);
    return process;
}

/* Its words, with what no terminal should get replaced; "" where they are hidden. */
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

bool lk_host_core_holder(const char *root, int core, char *ret_text, size_t size)
{
    char command[COMMAND_MAX];
    int fd = open_core(root, core), process = 0;
    bool held;
    struct stat of;

    ret_text[0] = '\0';
    if (fd < 0)
        return false;
    held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (held && fstat(fd, &of) == 0)
        process = find_holder(root, &of);
    close(fd); /* and what was locked to see whether it can be */
    if (!held)
        return false;
    if (process <= 0) {
        snprintf(ret_text, size, "a process that cannot be seen from here");
        return true;
    }
    read_command(root, process, command);
    if (command[0] != '\0')
        snprintf(ret_text, size, "process %d (%s)", process, command);
    else
        snprintf(ret_text, size, "process %d", process);
    return true;
}
