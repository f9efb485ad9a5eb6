/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (1u << 20)

int rig_folder_make(const char *name, char ret_path[RIG_FOLDER])
{
    const char *above = getenv("TMPDIR");

    /* the folder will contain sockets, and the length of a socket's path is limited */
    if (!above || strlen(above) > 30)
        above = "/tmp";
    if (snprintf(ret_path, RIG_FOLDER, "%s/%s-XXXXXX", above, name) >= RIG_FOLDER)
        return -ENAMETOOLONG;
    return mkdtemp(ret_path) ? 0 : -errno;
}

static int delete_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

int rig_folder_remove(const char *path)
{
    return nftw(path, delete_entry, 16, FTW_DEPTH | FTW_PHYS) ? -errno : 0;
}

char *rig_text_read(const char *path)
{
    char *text = calloc(1, TEXT_MAX);
    FILE *in = text ? fopen(path, "re") : NULL;

    if (in) {
        text[fread(text, 1, TEXT_MAX - 1, in)] = '\0';
        fclose(in);
    }
    return text;
}
