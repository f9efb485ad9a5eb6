/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces lk_file_create() with one whose disk does not answer while the folder contains a file
 * "hang". */
#include "linkage/file.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int __real_lk_file_create(const char *path, mode_t mode);
int __wrap_lk_file_create(const char *path, mode_t mode);

int __wrap_lk_file_create(const char *path, mode_t mode)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const char *slash = strrchr(path, '/');
    char hang[PATH_MAX];

    snprintf(hang, sizeof(hang), "%.*s/hang", slash ? (int)(slash - path) : 0, path);
    while (access(hang, F_OK) == 0)
        nanosleep(&nap, NULL);
    return __real_lk_file_create(path, mode);
}
