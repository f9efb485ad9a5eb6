/* SPDX-License-Identifier: Apache-2.0 */
/* Reads models and their numbers from texts of YAML, in files and in memory. */
#include "document_tree.h"
#include "modes.h"
#include "parameters.h"
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return the sources of a model whose files are in @folder. */
static struct lk_source source_of(const char *folder, const struct lk_setting *settings, int n)
{
    return (struct lk_source){.folder = folder,
                              .settings = settings,
                              .n = n,
                              .parse = lk_document_read,
                              .library = LK_MODELS_FOLDER};
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path));
}

int lk_model_read_file_with(const char *path, const struct lk_setting *settings, int n,
                            struct lk_model **ret_model, struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_error error;
    char *folder = folder_of(path);
    struct lk_source source = source_of(folder, settings, n);
    int result = folder == NULL ? -ENOMEM : lk_document_read(path, &document, &error);

    result = lk_model_from_document(result, document, &source, &error, ret_model, ret_errors);
    free(folder);
    return result;
}

int lk_model_read_text_with(const char *folder, const char *name, const char *text, size_t size,
                            const struct lk_setting *settings, int n, struct lk_model **ret_model,
                            struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_error error;
    struct lk_source source = source_of(folder, settings, n);
    int result = lk_document_parse(name, text, size, &document, &error);

    return lk_model_from_document(result, document, &source, &error, ret_model, ret_errors);
}

/* Lower @document, and write it. */
static int write_flat(struct lk_document *document, const struct lk_source *source, char **ret_text,
                      size_t *ret_size, struct lk_errors *ret_errors)
{
    struct lk_parameters parameters = {0};
    struct lk_error error = {""};
    int result = lk_document_lower(document, source, LK_LOWER_FLAT, &parameters, &error);

    lk_document_errors(document, result, &error, ret_errors);
    if (result == 0)
        result = lk_document_write(document, ret_text, ret_size);
    lk_parameters_fini(&parameters);
    return result;
}

int lk_model_flatten(const char *folder, const char *name, const char *text, size_t size,
                     const struct lk_setting *settings, int n, char **ret_text, size_t *ret_size,
                     struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_source source = source_of(folder, settings, n);
    struct lk_model *model = NULL;
    struct lk_error error;
    int result = lk_model_read_text_with(folder, name, text, size, settings, n, &model, ret_errors);

    lk_model_free(model);
    if (result == 0) /* parsed once already, so that it can only run out of memory */
        result = lk_document_parse(name, text, size, &document, &error);
    if (result == 0)
        result = write_flat(document, &source, ret_text, ret_size, ret_errors);
    lk_document_free(document);
    return result;
}

int lk_model_has_parts(const char *text, size_t size)
{
    struct lk_document *document = NULL;
    struct lk_error ignored;
    bool has_parts = lk_document_parse("model", text, size, &document, &ignored) == 0 &&
                     (lk_node_get(lk_document_root(document), "parts").index != 0 ||
                      lk_modes_are_in_files(document));

    lk_document_free(document);
    return has_parts;
}

int lk_model_text(const char *path, const struct lk_setting *settings, int n, int *ret_is_flat,
                  char **ret_text, size_t *ret_size, struct lk_errors *ret_errors)
{
    char *text = NULL, *folder = folder_of(path);
    size_t size = 0;
    int result =
        folder == NULL ? -ENOMEM : lk_document_text(path, &text, &size, &ret_errors->line[0]);

    ret_errors->n = result > 0;
    *ret_is_flat = result == 0 && lk_model_has_parts(text, size);
    if (*ret_is_flat) {
        result =
            lk_model_flatten(folder, path, text, size, settings, n, ret_text, ret_size, ret_errors);
        free(text);
    } else if (result == 0) {
        *ret_text = text;
        *ret_size = size;
    }
    free(folder);
    return result;
}

int lk_model_read_file_all(const char *path, struct lk_model **ret_model,
                           struct lk_errors *ret_errors)
{
    return lk_model_read_file_with(path, NULL, 0, ret_model, ret_errors);
}

int lk_model_read_text_in(const char *folder, const char *name, const char *text, size_t size,
                          struct lk_model **ret_model, struct lk_errors *ret_errors)
{
    return lk_model_read_text_with(folder, name, text, size, NULL, 0, ret_model, ret_errors);
}

int lk_model_read_text_all(const char *name, const char *text, size_t size,
                           struct lk_model **ret_model, struct lk_errors *ret_errors)
{
    return lk_model_read_text_in(NULL, name, text, size, ret_model, ret_errors);
}

static int first_of(int result, const struct lk_errors *errors, struct lk_error *ret_error)
{
    if (errors->n > 0 && ret_error != NULL)
        *ret_error = errors->line[0];
    return result;
}

int lk_model_read_file(const char *path, struct lk_model **ret_model, struct lk_error *ret_error)
{
    struct lk_errors errors;
    int result = lk_model_read_file_all(path, ret_model, &errors);

    return first_of(result, &errors, ret_error);
}

int lk_model_read_text(const char *name, const char *text, size_t size, struct lk_model **ret_model,
                       struct lk_error *ret_error)
{
    struct lk_errors errors;
    int result = lk_model_read_text_all(name, text, size, ret_model, &errors);

    return first_of(result, &errors, ret_error);
}

int lk_numbers_new_in(const char *folder, const char *name, const char *text, size_t size,
                      const struct lk_setting *settings, int n, struct lk_numbers **ret_numbers,
                      struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_error error = {""};
    struct lk_source source = source_of(folder, settings, n);
    int result = lk_document_parse(name, text, size, &document, &error);

    return lk_numbers_from_document(result, document, &source, &error, ret_numbers, ret_errors);
}

int lk_numbers_new(const char *name, const char *text, size_t size,
                   const struct lk_setting *settings, int n, struct lk_numbers **ret_numbers,
                   struct lk_errors *ret_errors)
{
    return lk_numbers_new_in(NULL, name, text, size, settings, n, ret_numbers, ret_errors);
}
