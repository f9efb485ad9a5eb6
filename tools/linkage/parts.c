/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of files that are built and installed with the program. */
#include "commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool find_part(const char *name, char path[PATH_MAX])
{
    static const char *const folders[] = {"../fmu", "sweep", "../" LINKAGE_LIBDIR "/linkage"};
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
    char *slash;

    own[n > 0 ? n : 0] = '\0';
    slash = strrchr(own, '/');
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && slash != NULL; i++)
        if (snprintf(path, PATH_MAX, "%.*s/%s/%s", (int)(slash - own), own, folders[i], name) <
                PATH_MAX &&
            access(path, R_OK) == 0)
            return true;
    return false;
}
