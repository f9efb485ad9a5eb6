/* SPDX-License-Identifier: Apache-2.0 */
/* Combination of a study with its model. Errors common to all cases are found here, before the
 * first case runs. */
#include "sweep.h"

#include "linkage/build.h"
#include "linkage/crc.h"
#include "linkage/file.h"
#include "linkage/nearest.h"
#include "methods/registry.h"
#include "model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 8 /* a path is refused if it is refused in this number of cases */

static void print_errors(const struct lk_errors *errors)
{
    for (int i = 0; i < errors->n; i++)
        file_error("%s", errors->line[i].text);
}

/* ---- the model ---- */

static int read_prototype(struct plan *p, const char *name, struct lk_error *error)
{
    struct lk_options options = plan_options(p->study);
    struct lk_errors errors = {0};
    const char *slash = strrchr(name, '/');
    int result;

    p->folder = slash == NULL ? strdup(".") : strndup(name, (size_t)(slash + 1 - name));
    result = p->folder == NULL ? -ENOMEM : lk_document_text(name, &p->text, &p->size, error);
    if (result != 0)
        return result;
    result = lk_model_read_text_in(p->folder, name, p->text, p->size, &p->model, &errors);
    if (result != 0) {
        print_errors(&errors);
        return result < 0 ? result : EXIT_REFUSED;
    }
    if (lk_formulation_why_offline(p->model->solver.formulation) != NULL) {
        lk_error_set(error,
                     "%s: its formulation is one of the laboratory, expected the model's own "
                     "step",
                     name);
        return LK_E_MODEL;
    }
    result = lk_system_new(p->model, &options, &p->prototype, error);
    if (result > 0) {
        struct lk_error line = *error;

        lk_error_set(error, "%s: %s", name, line.text);
    }
    return result;
}

/* ---- names ---- */

/* Find a channel by "channel" or "channel.component".
 * @ret_component: index of the component; 0 for a channel with one component; -1: all components of
 *                 a channel
 * Return: NULL: there is none. */
static const struct lk_channel *find_channel(const struct lk_channel *channels, int n,
                                             const char *name, int *ret_component)
{
    for (int i = 0; i < n; i++) {
        size_t size = strlen(channels[i].name);

        if (strncmp(channels[i].name, name, size) != 0)
            continue;
        *ret_component = channels[i].size == 1 ? 0 : -1;
        if (name[size] == '\0')
            return &channels[i];
        for (int k = 0; k < channels[i].size && name[size] == '.'; k++) {
            *ret_component = k;
            if (strcmp(name + size + 1, channels[i].component[k]) == 0 &&
                channels[i].component[k][0] != '\0')
                return &channels[i];
        }
    }
    return NULL;
}

static int refuse_name(struct lk_node node, const char *what, const char *name,
                       const struct lk_channel *channels, int n, struct lk_error *error)
{
    const char **words = calloc((size_t)n + 1, sizeof(*words)), *nearest;
    char word[LK_NAME_SIZE];

    for (int i = 0; i < n && words != NULL; i++)
        words[i] = channels[i].name;
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "."), name);
    nearest = words != NULL ? lk_nearest(word, words) : NULL;
    free(words);
    if (nearest != NULL && strcmp(nearest, word) != 0)
        return lk_node_refuse(node, error, "the model has no %s '%.80s', did you mean '%s'?", what,
                              name, nearest);
    return lk_node_refuse(node, error,
                          "the model has no %s '%.80s', expected one of its %ss, or NAME.COMPONENT "
                          "of one",
                          what, name, what);
}

/* Add the scalars that @m names to the targets. */
static int add_targets(const struct plan *p, const struct measure *m, struct target **list, int *n,
                       struct lk_error *error)
{
    int n_channels, k;
    const struct lk_channel *channels = lk_system_output_channels(p->prototype, &n_channels);
    const struct lk_channel *c = find_channel(channels, n_channels, m->output, &k);
    int first = k < 0 ? 0 : k, size = c == NULL ? 0 : k < 0 ? c->size : 1;
    struct target *grown;

    if (c == NULL)
        return refuse_name(m->node, "output", m->output, channels, n_channels, error);
    grown = realloc(*list, (size_t)(*n + size) * sizeof(**list));
    if (grown == NULL)
        return -ENOMEM;
    *list = grown;
    for (int i = first; i < first + size; i++)
        grown[(*n)++] = (struct target){c->offset + i, c->unit[i], m};
    return 0;
}

static int find_outputs(struct plan *p, struct lk_error *error)
{
    const struct study *s = p->study;
    int result = 0;

    for (int i = 0; i < s->n_outputs && result == 0; i++)
        result = add_targets(p, &s->output[i], &p->column, &p->n_columns, error);
    for (int i = 0; i < s->n_checks && result == 0; i++)
        result = add_targets(p, &s->check[i], &p->check, &p->n_checks, error);
    return result;
}

static int find_inputs(struct plan *p, struct lk_error *error)
{
    const struct study *s = p->study;
    int n, k;
    const struct lk_channel *channels = lk_system_input_channels(p->prototype, &n);

    p->offset = calloc((size_t)s->n_quantities + 1, sizeof(*p->offset));
    if (p->offset == NULL)
        return -ENOMEM;
    for (int q = 0; q < s->n_quantities; q++) {
        const struct quantity *x = &s->quantity[q];
        const struct lk_channel *c;

        p->offset[q] = -1;
        if (x->role != ROLE_INPUT)
            continue;
        c = find_channel(channels, n, x->name, &k);
        if (c == NULL)
            return refuse_name(x->node, "input", x->name, channels, n, error);
        if (k < 0)
            return lk_node_refuse(x->node, error, "input %s has %d components, expected %s.%s",
                                  x->name, c->size, x->name, c->component[0]);
        p->offset[q] = c->offset + k;
    }
    return 0;
}

/* ---- paths of parameters ---- */

static int read_with(const struct plan *p, const struct lk_setting *settings, int n,
                     struct lk_errors *errors)
{
    struct lk_model *model = NULL;
    int result = lk_model_read_text_with(p->folder, p->study->model, p->text, p->size, settings, n,
                                         &model, errors);

    lk_model_free(model);
    return result;
}

/* Refuse a path that cannot be set in any of the tested cases. */
static int try_path(const struct plan *p, int q, struct lk_error *error)
{
    const struct study *s = p->study;
    struct lk_errors errors = {0}, first = {0};
    int result = 0;

    for (uint64_t k = 0; k < TRIES; k++) {
        uint64_t i = s->cases > 1 ? k * (s->cases - 1) / (TRIES - 1) : 0;
        struct lk_setting setting = {s->quantity[q].name, study_value(s, q, i)};

        result = read_with(p, &setting, 1, &errors);
        if (result <= 0)
            return result;
        if (k == 0)
            first = errors;
    }
    return lk_node_refuse(s->quantity[q].node, error, "%.400s", first.line[0].text);
}

static int try_paths(const struct plan *p, struct lk_error *error)
{
    const struct study *s = p->study;
    struct lk_setting setting[STUDY_QUANTITIES_MAX];
    struct lk_errors errors;
    int n = 0, result = 0;

    for (int q = 0; q < s->n_quantities; q++)
        if (s->quantity[q].role == ROLE_PARAMETER)
            setting[n++] = (struct lk_setting){s->quantity[q].name, study_value(s, q, 0)};
    if (n == 0 || read_with(p, setting, n, &errors) == 0)
        return 0;
    for (int q = 0; q < s->n_quantities && result == 0; q++)
        if (s->quantity[q].role == ROLE_PARAMETER)
            result = try_path(p, q, error);
    return result;
}

/* ---- files ---- */

/* Read each file once, so that mistyped names are found before a long run.
 * @crc: checksum that is continued with the bytes of the file
 * Return: false after an error message. */
static bool try_file(struct plan *p, const struct quantity *x, const char *path, uint32_t *crc)
{
    struct run_options o = {.duration = p->study->duration, .inputs = path};
    struct run_inputs inputs;
    char *bytes;
    size_t size;
    bool is_good;

    if (x->role == ROLE_START_STATE) {
        is_good = run_load_state(p->prototype, path);
    } else {
        is_good = run_inputs_open(p->prototype, &o, &inputs);
        run_inputs_close(&inputs);
    }
    if (is_good && lk_file_read(path, SIZE_MAX / 2, &bytes, &size) == 0) {
        *crc = lk_crc32(*crc, bytes, size);
        free(bytes);
    }
    return is_good;
}

static int try_files(struct plan *p, uint32_t *crc)
{
    const struct study *s = p->study;

    for (int q = 0; q < s->n_quantities; q++)
        for (int k = 0; s->quantity[q].file != NULL && k < s->quantity[q].n; k++)
            if (!try_file(p, &s->quantity[q], s->quantity[q].file[k], crc))
                return EXIT_REFUSED;
    lk_system_reset(p->prototype);
    return 0;
}

/* ---- the header of the table ---- */

static const char *unit_of_parameter(const struct plan *p, const struct lk_numbers *numbers,
                                     const char *path)
{
    int n;
    const struct lk_parameter *parameters = lk_model_parameters(p->model, &n);
    const struct lk_number *list;

    for (int i = 0; i < n; i++)
        if (strcmp(parameters[i].name, path) == 0)
            return parameters[i].unit;
    list = lk_numbers_list(numbers, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].path, path) == 0)
            return list[i].unit;
    return "";
}

static const char *unit_of(const struct plan *p, const struct lk_numbers *numbers, int q)
{
    const struct quantity *x = &p->study->quantity[q];
    int n;
    const struct lk_channel *channels = lk_system_input_channels(p->prototype, &n);

    if (x->role == ROLE_PARAMETER)
        return unit_of_parameter(p, numbers, x->name);
    for (int i = 0; i < n && x->role == ROLE_INPUT; i++)
        if (p->offset[q] >= channels[i].offset &&
            p->offset[q] < channels[i].offset + channels[i].size)
            return channels[i].unit[p->offset[q] - channels[i].offset];
    return "";
}

static void put_column(FILE *file, const char *name, const char *unit)
{
    char field[LK_PATH_SIZE + 64];
    bool has_unit = unit[0] != '\0' && strcmp(unit, "?") != 0;

    snprintf(field, sizeof(field), "%s%s%s%s", name, has_unit ? " [" : "", has_unit ? unit : "",
             has_unit ? "]" : "");
    putc(',', file);
    put_field(file, field);
}

/* Write the column head of a target, such as "last(pin.fx) [N]". */
static void put_target(const struct plan *p, const struct target *target, FILE *file)
{
    enum reduction reduction = target->measure->reduction;
    bool is_time = reduction == REDUCTION_TIME_OF_MIN || reduction == REDUCTION_TIME_OF_MAX;
    int n;
    const struct lk_channel *c = lk_system_output_channels(p->prototype, &n);
    char name[2 * LK_NAME_SIZE + 64];

    while (target->scalar >= c->offset + c->size)
        c++;
    snprintf(name, sizeof(name), "%s(%s%s%s)", reduction_name(reduction), c->name,
             c->size > 1 ? "." : "", c->component[target->scalar - c->offset]);
    put_column(file, name, is_time ? "s" : target->unit);
}

static int make_header(struct plan *p)
{
    const struct study *s = p->study;
    struct lk_setting setting[STUDY_QUANTITIES_MAX];
    struct lk_numbers *numbers = NULL;
    struct lk_errors errors;
    size_t size;
    FILE *file = open_memstream(&p->header, &size);
    int n = 0;

    for (int q = 0; q < s->n_quantities; q++)
        if (s->quantity[q].role == ROLE_PARAMETER)
            setting[n++] = (struct lk_setting){s->quantity[q].name, study_value(s, q, 0)};
    /* Apply the parameters of the first case, so that numbers missing in the model file have units
     * as well. */
    if (lk_numbers_new_in(p->folder, s->model, p->text, p->size, setting, n, &numbers, &errors) !=
            0 &&
        lk_numbers_new_in(p->folder, s->model, p->text, p->size, NULL, 0, &numbers, &errors) != 0)
        numbers = NULL;
    if (file == NULL || numbers == NULL) {
        lk_numbers_free(numbers);
        if (file != NULL)
            fclose(file);
        return -ENOMEM;
    }
    fputs("case,outcome", file);
    for (int q = 0; q < s->n_quantities; q++)
        put_column(file, s->quantity[q].name, unit_of(p, numbers, q));
    for (int i = 0; i < p->n_columns; i++)
        put_target(p, &p->column[i], file);
    fputs(",residual [m or rad],energy_error [J],reason", file);
    lk_numbers_free(numbers);
    return fclose(file) == 0 ? 0 : -ENOMEM;
}

/* Write the identity of the study: everything on which the bits of the table depend. */
static int make_identity(struct plan *p, uint32_t crc)
{
    size_t size;
    FILE *file = open_memstream(&p->identity, &size);

    if (file == NULL)
        return -ENOMEM;
    fprintf(file,
            "cases %" PRIu64 " study %016" PRIx64 " model %016" PRIx64 " files %08" PRIx32
            " build %s engine %s",
            p->study->cases, lk_document_hash(p->study->document), p->model->hash, crc,
            lk_build_id(), lk_system_engine(p->prototype));
    return fclose(file) == 0 ? 0 : -ENOMEM;
}

/* ---- all of it ---- */

static int make_plan(struct plan *p, struct lk_error *error)
{
    uint32_t crc = 0;
    int result = read_prototype(p, p->study->model, error);

    if (result == 0 && p->study->duration / lk_system_step_size(p->prototype) > RUN_STEPS_MAX)
        result = lk_node_refuse(lk_node_get(lk_document_root(p->study->document), "duration"),
                                error, "duration is %g s, expected at most %g steps",
                                p->study->duration, RUN_STEPS_MAX);
    if (result == 0)
        result = find_outputs(p, error);
    if (result == 0)
        result = find_inputs(p, error);
    if (result == 0)
        result = try_paths(p, error);
    if (result == 0)
        result = try_files(p, &crc);
    if (result == 0)
        result = make_header(p);
    return result == 0 ? make_identity(p, crc) : result;
}

struct plan *plan_new(const struct study *study)
{
    struct plan *p = calloc(1, sizeof(*p));
    struct lk_error error = {""};
    int result;

    if (p == NULL) {
        complain("out of memory");
        return NULL;
    }
    p->study = study;
    result = make_plan(p, &error);
    if (result == 0)
        return p;
    if (error.text[0] != '\0')
        file_error("%s", error.text);
    else if (result < 0)
        complain("%s", strerror(-result));
    plan_free(p);
    return NULL;
}

void plan_free(struct plan *p)
{
    if (p == NULL)
        return;
    lk_system_free(p->prototype);
    lk_model_free(p->model);
    free(p->text);
    free(p->folder);
    free(p->offset);
    free(p->column);
    free(p->check);
    free(p->header);
    free(p->identity);
    free(p);
}
