/* SPDX-License-Identifier: Apache-2.0 */
#include "a2l_file.h"
#include "commands.h"
#include "image.h"
#include "linkage/parameters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct lk_parameter *find_tunable(const struct lk_model *model, const char *name)
{
    int n;
    const struct lk_parameter *list = lk_model_parameters(model, &n);

    for (int i = 0; i < n; i++)
        if (list[i].is_tunable && strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void say_parameter(char ret[XCP_SAYS_SIZE], const struct lk_parameter *p)
{
    snprintf(ret, XCP_SAYS_SIZE, "acts at %s", p->acts);
}

static void add_channels(struct xcp_image *image, enum xcp_region region,
                         const struct lk_model *model, const struct lk_channel *list, int n)
{
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &list[i];
        const struct lk_parameter *p = region == XCP_INPUTS ? find_tunable(model, c->name) : NULL;
        const char *unit = p != NULL ? p->unit : "";
        char says[XCP_SAYS_SIZE];
        const struct xcp_channel channel = {.name = c->name,
                                            .n = c->size,
                                            .component = c->component,
                                            .unit = p != NULL && c->size == 1 ? &unit : c->unit,
                                            .says = says,
                                            .low = c->low,
                                            .high = c->high,
                                            .initial = c->initial,
                                            .tunable = p != NULL};

        if (p != NULL)
            say_parameter(says, p);
        else
            xcp_image_say(says, c->type, c->frame);
        xcp_image_channel(image, region, &channel);
    }
}

static int make_image(struct xcp_image *image, const struct lk_model *model,
                      const struct lk_system *system)
{
    const struct lk_channel *list;
    const struct lk_parameter *parameters;
    int n;

    xcp_image_begin(image, lk_model_name(model), lk_system_step_size(system));
    list = lk_system_output_channels(system, &n);
    add_channels(image, XCP_OUTPUTS, model, list, n);
    list = lk_system_input_channels(system, &n);
    add_channels(image, XCP_INPUTS, model, list, n);
    parameters = lk_model_parameters(model, &n);
    for (int i = 0; i < n; i++) {
        char says[XCP_SAYS_SIZE];

        if (parameters[i].is_tunable)
            continue;
        say_parameter(says, &parameters[i]);
        xcp_image_parameter(image, parameters[i].name, parameters[i].unit, says, parameters[i].low,
                            parameters[i].high, parameters[i].value);
    }
    return xcp_image_end(image);
}

int a2l_file_write(const char *path, const char *output, const char *address, int port)
{
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    struct xcp_image image = {0};
    struct lk_error error;
    int code = lk_model_read_file(path, &model, &error), status = EXIT_REFUSED;

    if (code == 0)
        code = lk_system_new(model, NULL, &system, &error);
    if (code != 0) {
        complain("%s", error.text);
    } else {
        code = make_image(&image, model, system);
        if (code == 0)
            code = xcp_a2l_make(&image, address, port);
        if (code != 0)
            complain("%s: no image of it: %s", path, strerror(-code));
        else
            status = write_output(output, "ASAP2_VERSION", image.a2l, image.a2l_size);
    }
    xcp_image_fini(&image);
    lk_system_free(system);
    lk_model_free(model);
    return status;
}
