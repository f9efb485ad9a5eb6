/* SPDX-License-Identifier: Apache-2.0 */
#include "dbc_file.h"
#include "can_model.h"
#include "commands.h"
#include "dbc_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write the channels of a model to a DBC file.
 * Return: an exit status. */
static int write_channels(const struct can_channels *channels, const char *title, bool is_fd,
                          const char *path, const char *output)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    int status = EXIT_REFUSED, code = -ENOMEM;

    if (to != NULL) {
        code = dbc_write(channels, title, is_fd, to);
        if (fclose(to) != 0)
            code = -ENOMEM;
    }
    if (code != 0)
        complain("%s: no DBC file of it: %s", path, strerror(-code));
    else
        status = write_output(output, "VERSION \"\"", text, size);
    free(text);
    return status;
}

int dbc_file_write(const char *path, const char *output, bool is_fd)
{
    struct can_channels channels = {0};
    char title[DBC_NAME_SIZE];
    struct lk_error error;
    int status = EXIT_REFUSED;

    if (can_model_read(path, &channels, title, &error) == 0)
        status = write_channels(&channels, title, is_fd, path, output);
    else
        complain("%s", error.text);
    can_channels_fini(&channels);
    return status;
}
