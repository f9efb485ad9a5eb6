/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded.h"
#include "exchange.h"
#include "linkage/compile.h"
#include "linkage/document.h"
#include "linkage/parameters.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MODEL_ID_MASK ((UINT64_C(1) << 53) - 1)

/* Return a random identifier of a model. It is random so that a sample for a model of an earlier
 * daemon is never accepted. It has 53 bits so that programs whose only number type is double can
 * represent it. */
static uint64_t make_model_id(void)
{
    uint64_t id = 0;

    if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
        id = (uint64_t)lkd_clock_ns();
    id &= MODEL_ID_MASK;
    return id ? id : 1;
}

static int check_bounds(const struct lk_system *system, struct lk_error *error)
{
    double period_ns = lk_system_step_size(system) * 1e9;
    int n_in = lk_system_input_size(system), n_out = lk_system_output_size(system);
    int n_max = lkd_exchange_outputs_max();

    if (!(period_ns >= (double)LKD_PERIOD_MIN_NS && period_ns <= (double)LKD_PERIOD_MAX_NS)) {
        lk_error_set(error, "a step of %g s, expected %g to %g s for a run in real time",
                     lk_system_step_size(system), (double)LKD_PERIOD_MIN_NS * 1e-9,
                     (double)LKD_PERIOD_MAX_NS * 1e-9);
        return LK_E_MODEL;
    }
    if (n_in > n_max || n_out > n_max) {
        lk_error_set(error,
                     "%d input and %d output scalars, expected at most %d of each (a sample)", n_in,
                     n_out, n_max);
        return LK_E_MODEL;
    }
    return 0;
}

static bool is_cancelled(void *context)
{
    const atomic_bool *cancelled = context;

    return cancelled && atomic_load_explicit(cancelled, memory_order_relaxed);
}

static int compile_loaded(const struct lk_model *model, const struct lkd_settings *settings,
                          const atomic_bool *cancelled, struct lkd_loaded *loaded,
                          struct lk_error *error)
{
    struct lk_bounds bounds = {
        .flops_max = LKD_STEP_FLOPS_MAX,
        .is_cancelled = is_cancelled,
        .context = (void *)cancelled,
    };
    int r;

    snprintf(loaded->name, sizeof(loaded->name), "%s", lk_model_name(model));
    loaded->model_id = make_model_id();
    int64_t begin_ns = lkd_clock_ns();
    loaded->engine = getenv("LINKAGE_ENGINE");
    r = lk_system_new_within(model, &(struct lk_options){.engine = loaded->engine}, &bounds,
                             &loaded->system, error);
    if (r)
        return r;
    loaded->compile_ns = lkd_clock_ns() - begin_ns;
    r = check_bounds(loaded->system, error);
    if (r)
        return r;
    bounds.flops_max = LKD_FINDINGS_FLOPS_MAX;
    r = lk_findings_init(model, loaded->system, NULL, NULL, &bounds, &loaded->warnings);
    if (r)
        return r;
    if (is_cancelled(bounds.context))
        return -ECANCELED;
    return lkd_cycle_new(loaded->system, settings, &loaded->cycle);
}

/* Compile the model and create its cycle. Takes ownership of @model, @text and @values, also on
 * failure. */
static int finish_loading(struct lk_model *model, char *text, size_t size, char *values,
                          const struct lkd_settings *settings, const atomic_bool *cancelled,
                          struct lkd_loaded **ret_loaded, struct lk_errors *errors)
{
    struct lkd_loaded *loaded = calloc(1, sizeof(*loaded));
    int r = -ENOMEM;

    if (!loaded) {
        lk_model_free(model);
        free(text);
        free(values);
        return r;
    }
    loaded->model = model;
    loaded->text = text;
    loaded->text_size = size;
    loaded->values = values;
    r = compile_loaded(model, settings, cancelled, loaded, &errors->line[0]);
    if (r) {
        errors->n = r > 0;
        lkd_loaded_free(loaded);
        return r;
    }
    *ret_loaded = loaded;
    return 0;
}

/* struct given - a model as it is given to the daemon. @name, @folder: of it, NULL: none;
 * @text: @size bytes;  @values: from outside, as text */
struct given {
    const char *name;
    const char *folder;
    char *text;
    size_t size;
    char *values;
};

/* Read a model with its external values. */
static int read_model(const struct given *g, struct lk_model **ret_model,
                      struct lk_errors *ret_errors)
{
    struct lk_settings given = {0};
    int r = lk_settings_read(g->values, &given, &ret_errors->line[0]);

    ret_errors->n = r > 0;
    if (r == 0)
        r = lk_model_read_text_with(g->folder, g->name, g->text, g->size, given.list, given.n,
                                    ret_model, ret_errors);
    lk_settings_fini(&given);
    return r;
}

/* Replace the text of a model with parts by its flat text, which has the external values. A
 * recording then is complete without the files of the parts. */
static int make_flat(struct given *g, const char *folder, struct lk_errors *ret_errors)
{
    struct lk_settings given = {0};
    char *flat = NULL;
    size_t size = 0;
    int r;

    if (!lk_model_has_parts(g->text, g->size))
        return 0;
    r = lk_settings_read(g->values, &given, &ret_errors->line[0]);
    ret_errors->n = r > 0;
    if (r == 0)
        r = lk_model_flatten(folder, g->name, g->text, g->size, given.list, given.n, &flat, &size,
                             ret_errors);
    lk_settings_fini(&given);
    if (r)
        return r;
    free(g->text);
    g->text = flat;
    g->size = size;
    g->values[0] = '\0';
    return 0;
}

/* Load @given, whose text and values it takes over. @parts: folder of parts, NULL: none */
static int load(struct given *given, const char *parts, const struct lkd_settings *settings,
                const atomic_bool *cancelled, struct lkd_loaded **ret_loaded,
                struct lk_errors *ret_errors)
{
    struct lk_model *model;
    int r = given->text && given->values ? 0 : -ENOMEM;

    if (r == 0)
        r = make_flat(given, parts, ret_errors);
    if (r == 0)
        r = read_model(given, &model, ret_errors);
    if (r) {
        free(given->text);
        free(given->values);
        return r;
    }
    return finish_loading(model, given->text, given->size, given->values, settings, cancelled,
                          ret_loaded, ret_errors);
}

int lkd_loaded_new(const char *name, const char *text, size_t size, const char *values,
                   const struct lkd_settings *settings, const atomic_bool *cancelled,
                   struct lkd_loaded **ret_loaded, struct lk_errors *ret_errors)
{
    struct given given = {.name = *name ? name : "model",
                          .folder = *settings->roads ? settings->roads : NULL,
                          .text = malloc(size + 1),
                          .size = size,
                          .values = strdup(values)};

    if (given.text && size > 0)
        memcpy(given.text, text, size);
    return load(&given, given.folder, settings, cancelled, ret_loaded, ret_errors);
}

int lkd_loaded_new_file(const char *path, const struct lkd_settings *settings,
                        const atomic_bool *cancelled, struct lkd_loaded **ret_loaded,
                        struct lk_errors *ret_errors)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    struct given given = {
        .name = path, .folder = *settings->roads ? settings->roads : NULL, .values = strdup("")};
    int r = lk_document_text(path, &given.text, &given.size, &ret_errors->line[0]);

    ret_errors->n = r > 0;
    if (r == 0 && !folder)
        r = -ENOMEM;
    if (r == 0) {
        r = load(&given, folder, settings, cancelled, ret_loaded, ret_errors);
    } else {
        free(given.text);
        free(given.values);
    }
    free(folder);
    return r;
}

void lkd_loaded_free(struct lkd_loaded *loaded)
{
    if (!loaded)
        return;
    lkd_cycle_free(loaded->cycle);
    lk_findings_fini(&loaded->warnings);
    lk_system_free(loaded->system);
    lk_model_free(loaded->model);
    free(loaded->text);
    free(loaded->values);
    free(loaded);
}
