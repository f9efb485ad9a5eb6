/* SPDX-License-Identifier: Apache-2.0 */
/* Start of a run from the final state of another run. */
#include "run.h"

#include "linkage/file.h"
#include "linkage/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool run_load_state(struct lk_system *system, const char *path)
{
    struct lk_error error;
    char *bytes = NULL;
    size_t size;
    int fault = lk_file_read(path, lk_system_state_size(system) + 1, &bytes, &size);

    if (fault != 0) {
        complain("%s: %s", path, lk_file_error(fault));
        return false;
    }
    fault = lk_system_state_set(system, bytes, size, &error);
    if (fault != 0)
        complain("%s: %s; expected a file of --save-state of the same model and options", path,
                 error.text);
    free(bytes);
    return fault == 0;
}

bool run_save_state(const struct lk_system *system, const char *path)
{
    size_t size = lk_system_state_size(system);
    char *bytes = malloc(size);
    int file = bytes == NULL ? -ENOMEM : lk_file_create(path, 0644);
    int fault = file < 0 ? file : 0;

    if (fault == 0) {
        lk_system_state_get(system, bytes);
        fault = lk_file_write(file, bytes, size);
        if (close(file) != 0 && fault == 0)
            fault = -errno;
        if (fault != 0) /* an incomplete state is removed */
            unlink(path);
    }
    free(bytes);
    if (fault == -EEXIST)
        complain("%s is there already, expected a new name for the state", path);
    else if (fault != 0)
        complain("%s: %s", path, strerror(-fault));
    return fault == 0;
}
