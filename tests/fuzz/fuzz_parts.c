/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a model with parts, and as a part that is included as it is, turned and mirrored.
 * What is read is flat: the flat text yields the same model, and is its own flat text. */
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "linkage/parameters.h"
#include "model/model.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char link_text[] =
    "linkage: 1\nname: link\nports: [before]\nparameters: {mass: {value: 2}}\n"
    "points: {end: [1, =mass/4, 0]}\n"
    "bodies:\n  rod: {mass: =mass, inertia: [2, 2, 3, 0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
    "joints:\n  hinge: {type: revolute, bodies: [before, rod], point: end, axis: [0, 0, 1]}\n";

static const char of_part[] =
    "linkage: 1\nname: m\nbodies:\n  own: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "parts:\n  a: {file: part.yaml}\n"
    "  b: {file: part.yaml, mirror: y, position: [1, 2, 3]}\n"
    "  c: {file: part.yaml, names: \"*_c\", orientation: {axis: [1, 2, 3], angle: 1}, mirror: x}\n";

static char folder[64];

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[96];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void remove_folder(void)
{
    char path[96];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, i == 0 ? "link.yaml" : "part.yaml");
        unlink(path);
    }
    rmdir(folder);
}

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/fuzz-parts-XXXXXX");
    if (mkdtemp(folder) == NULL)
        abort();
    write_file("link.yaml", link_text, strlen(link_text));
    write_file("part.yaml", "", 0);
    atexit(remove_folder);
}

static void check_lines(const struct lk_errors *errors)
{
    if (errors->n < 1 || errors->n > LK_ERRORS_MAX)
        abort();
    for (int i = 0; i < errors->n; i++)
        if (errors->line[i].text[0] == '\0' || strchr(errors->line[i].text, '\n') != NULL)
            abort();
}

/* Write the flat text. Return: NULL if the model is refused. */
static char *flatten(const char *text, size_t size)
{
    struct lk_errors errors;
    char *flat = NULL;
    int result = lk_model_flatten(folder, "fuzz", text, size, NULL, 0, &flat, &size, &errors);

    if (result < 0)
        abort();
    if (result > 0)
        check_lines(&errors);
    return result == 0 ? flat : NULL;
}

static uint64_t hash_of(const char *text, size_t size)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;
    uint64_t hash;

    if (lk_model_read_text_in(folder, "fuzz", text, size, &model, &errors) != 0)
        abort();
    hash = model->hash;
    lk_model_free(model);
    return hash;
}

static void check(const char *text, size_t size)
{
    char *flat = flatten(text, size), *again;

    if (flat == NULL)
        return;
    if (lk_model_has_parts(text, size) && hash_of(text, size) != hash_of(flat, strlen(flat)))
        abort();
    again = flatten(flat, strlen(flat));
    if (again == NULL || strcmp(flat, again) != 0)
        abort();
    free(flat);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0')
        make_folder();
    check((const char *)data, size);
    write_file("part.yaml", data, size);
    check(of_part, strlen(of_part));
    return 0;
}
