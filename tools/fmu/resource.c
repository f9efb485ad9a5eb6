/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the packed model from the folder of resources, for a unit that is a shared object. A unit
 * that is exported as source code contains the model in its sources, and embedded.c instead of this
 * file. */
#include "linkage/file.h"
#include "model/packed.h"
#include "variables.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Skip "file:" and an optional host in a URI.
 * Return: the path; NULL if the URI names another host. */
static const char *path_of(const char *uri)
{
    uri += strlen("file:");
    if (strncmp(uri, "//", 2) != 0)
        return uri;
    uri += 2;
    if (strncmp(uri, "localhost/", 10) == 0)
        uri += 9;
    return uri[0] == '/' ? uri : NULL;
}

/* Write the path of the model file in @folder, a path or a URI.
 * Return: true if the file exists. */
static bool find_file(const char *folder, char path[PATH_MAX])
{
    bool is_uri = strncmp(folder, "file:", 5) == 0;
    const char *at = is_uri ? path_of(folder) : folder;
    size_t n = 0;

    for (; at != NULL && *at != '\0' && n < PATH_MAX - 32; at++) {
        bool is_coded = is_uri && at[0] == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0;

        path[n++] = is_coded ? (char)(16 * hex(at[1]) + hex(at[2])) : *at;
        at += is_coded ? 2 : 0;
    }
    if (at == NULL || *at != '\0' || n == 0)
        return false;
    snprintf(path + n, PATH_MAX - n, "%s" FMU_RESOURCE, path[n - 1] == '/' ? "" : "/");
    return true;
}

int fmu_model(const char *resources, char **ret_bytes, size_t *ret_size, struct lk_error *err)
{
    char path[PATH_MAX];
    int result;

    if (resources == NULL || !find_file(resources, path)) {
        lk_error_set(err, "the folder of resources is '%.200s', expected a path or a URI file:///",
                     resources != NULL ? resources : "");
        return LK_E_TEXT;
    }
    result = lk_file_read(path, LK_PACKED_SIZE_MAX, ret_bytes, ret_size);
    if (result == 0 || result == -ENOMEM)
        return result;
    lk_error_set(err, "%s: cannot be read (%s), expected the model of this unit", path,
                 lk_file_error(result));
    return LK_E_TEXT;
}
