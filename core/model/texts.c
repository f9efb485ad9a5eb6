/* SPDX-License-Identifier: Apache-2.0 */
/* Reads models and their numbers from texts of YAML, in files and in memory. */
#include "linkage/document.h"
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lk_model_read_file_with(const char *path, const struct lk_setting *settings, int n,
                            struct lk_model **ret_model, struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_error error;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path));
    int result = folder == NULL ? -ENOMEM : lk_document_read(path, &document, &error);

    result = lk_model_from_document(
        result, document, &(struct lk_source){.folder = folder, .settings = settings, .n = n},
        &error, ret_model, ret_errors);
    free(folder);
    return result;
}

int lk_model_read_text_with(const char *folder, const char *name, const char *text, size_t size,
                            const struct lk_setting *settings, int n, struct lk_model **ret_model,
                            struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_error error;
    int result = lk_document_parse(name, text, size, &document, &error);

    return lk_model_from_document(
        result, document, &(struct lk_source){.folder = folder, .settings = settings, .n = n},
        &error, ret_model, ret_errors);
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

int lk_numbers_new(const char *name, const char *text, size_t size,
                   const struct lk_setting *settings, int n, struct lk_numbers **ret_numbers,
                   struct lk_errors *ret_errors)
{
    struct lk_document *document = NULL;
    struct lk_error error = {""};
    int result = lk_document_parse(name, text, size, &document, &error);

    return lk_numbers_from_document(result, document, settings, n, &error, ret_numbers, ret_errors);
}
