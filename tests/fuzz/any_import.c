/* SPDX-License-Identifier: Apache-2.0 */
#include "any_import.h"

#include "import.h"

#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "linkage/text.h"

#include <stdlib.h>
#include <string.h>

static void check_notes(const struct notes *notes)
{
    for (int i = 0; i < notes->n; i++)
        if (notes->note[i].text[0] == '\0' || !lk_text_is_clean(notes->note[i].text))
            abort();
}

static void read_back(const char *text, size_t size)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;
    int result = lk_model_read_text_all("fuzz", text, size, &model, &errors);

    if (result < 0 || (result > 0 && strstr(errors.line[0].text, "YAML") != NULL))
        abort();
    lk_model_free(model);
}

static void write_back(struct robot *robot, const struct import_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (file == NULL)
        abort();
    name_robot(robot);
    if (!write_robot(robot, options, file) || fclose(file) != 0)
        abort();
    read_back(text, size);
    free(text);
}

void import_any(const uint8_t *data, size_t size)
{
    struct import_options options = {.path = "fuzz", .output = "fuzz", .stops = {1e6, 1e4}};
    struct notes notes = {.path = "fuzz"};
    struct robot robot = {.density = 1000};
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    char *bytes = malloc(size > 0 ? size : 1);

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    options.repair = size % 2;
    options.floating = size / 2 % 2;
    robot_read("fuzz", bytes, size, &robot, &notes);
    if (notes.n_errors == 0)
        place_robot(&robot, &options, &notes);
    if (notes.n_errors == 0)
        sum_masses(&robot, &options, &notes);
    check_notes(&notes);
    if (notes.n_errors == 0)
        write_back(&robot, &options);
    notes_free(&notes);
    robot_free(&robot);
    free(bytes);
}
