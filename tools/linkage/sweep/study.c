/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a study and defines its cases. */
#include "study.h"

#include "linkage/hash.h"
#include "maths/elementary.h"
#include "model/model.h"
#include "sample.h"
#include "study_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED_MAX 9007199254740992 /* 2^53, exact in every YAML reader */

static const char *const sampling_names[] = {"grid", "list", "random", "latin-hypercube", NULL};

/* Resolve @path against the folder of the file @name.
 * Return: path on the heap; NULL: out of memory. */
char *study_beside(const char *name, const char *path)
{
    const char *slash = strrchr(name, '/');
    size_t folder = slash == NULL || path[0] == '/' ? 0 : (size_t)(slash + 1 - name);
    char *text = malloc(folder + strlen(path) + 1);

    if (text != NULL) {
        memcpy(text, name, folder);
        strcpy(text + folder, path);
    }
    return text;
}

static int read_positive(struct lk_node root, const char *key, double low, double high, double *ret,
                         struct lk_error *err)
{
    int result = lk_node_read_number(root, key, ret, err);

    if (result == 0 && !(*ret >= low && *ret <= high))
        return lk_node_refuse(lk_node_get(root, key), err, "%s is %g, expected %g to %g s", key,
                              *ret, low, high);
    return result;
}

static int read_head(struct lk_node root, const char *name, struct study *s, struct lk_error *err)
{
    static const char *const keys[] = {"study",   "model",        "duration",    "step",
                                       "engine",  "sampling",     "cases",       "seed",
                                       "inputs",  "parameters",   "input_files", "interpolate",
                                       "outputs", "start_states", "checks",      NULL};
    static const char *const versions[] = {"1", NULL};
    static const char *const engines[] = {LK_ENGINE_NAMES, NULL};
    char model[LK_PATH_SIZE * 4];
    int version, engine, result;

    if (lk_node_kind(root) == LK_NODE_NONE)
        return lk_node_refuse(root, err, "the text is empty, expected a study");
    result = lk_node_check_keys(root, "a study", keys, err);
    if (lk_node_kind(root) != LK_NODE_MAP)
        return result;
    result = lk_also(result, lk_node_read_choice(root, "study", versions, &version, err));
    if (lk_node_read_text(root, "model", sizeof(model), model, err) != 0)
        result = lk_also(result, LK_E_TEXT);
    else if ((s->model = study_beside(name, model)) == NULL)
        return -ENOMEM;
    result = lk_also(result, read_positive(root, "duration", LK_STEP_MIN, 1e9, &s->duration, err));
    if (lk_node_get(root, "step").index != 0)
        result =
            lk_also(result, read_positive(root, "step", LK_STEP_MIN, LK_STEP_MAX, &s->step, err));
    if (lk_node_get(root, "engine").index != 0) {
        int fault = lk_node_read_choice(root, "engine", engines, &engine, err);

        if (fault == 0)
            strcpy(s->engine, engines[engine]);
        result = lk_also(result, fault);
    }
    return lk_also(result, lk_node_read_bool_or(root, "interpolate", &s->interpolate, err));
}

/* ---- the cases ---- */

static int count_grid(struct lk_node root, struct study *s, struct lk_error *err)
{
    uint64_t n = 1;

    for (int q = 0; q < s->n_quantities; q++)
        if ((n *= (uint64_t)s->quantity[q].n) > STUDY_CASES_MAX)
            return lk_node_refuse(root, err, "the grid has more than %d cases, expected fewer",
                                  STUDY_CASES_MAX);
    s->cases = n;
    return 0;
}

static int count_list(struct study *s, struct lk_error *err)
{
    s->cases = 1;
    for (int q = 0; q < s->n_quantities; q++) {
        const struct quantity *x = &s->quantity[q];

        if (x->n > 1 && s->cases > 1 && (uint64_t)x->n != s->cases)
            return lk_node_refuse(x->node, err,
                                  "%s has %d values, expected %d, as many as the list before it",
                                  x->name, x->n, (int)s->cases);
        if (x->n > 1)
            s->cases = (uint64_t)x->n;
    }
    return 0;
}

static int refuse_spreads(struct study *s, struct lk_error *err)
{
    int result = 0;

    for (int q = 0; q < s->n_quantities; q++)
        if (s->quantity[q].spread != SPREAD_VALUES)
            result = lk_node_refuse(s->quantity[q].node, err,
                                    "%s has a distribution, and the sampling is %s; expected a "
                                    "number, list or grid, or sampling: random",
                                    s->quantity[q].name, sampling_names[s->sampling]);
    return result;
}

static int read_sampling(struct lk_node root, struct study *s, struct lk_error *err)
{
    struct lk_node cases = lk_node_get(root, "cases");
    int sampling = cases.index != 0 ? SAMPLING_RANDOM : SAMPLING_GRID, result = 0;
    long n = 0, seed = 1;

    if (lk_node_get(root, "sampling").index != 0)
        result = lk_node_read_choice(root, "sampling", sampling_names, &sampling, err);
    result = lk_also(result, lk_node_read_int_or(root, "cases", 1, STUDY_CASES_MAX, &n, err));
    result = lk_also(result, lk_node_read_int_or(root, "seed", 0, SEED_MAX, &seed, err));
    if (result != 0)
        return result;
    s->sampling = (enum sampling)sampling;
    s->seed = (uint64_t)seed;
    s->cases = (uint64_t)n;
    if (s->sampling >= SAMPLING_RANDOM)
        return n > 0 ? 0
                     : lk_node_refuse(lk_node_get(root, "sampling"), err,
                                      "the sampling is %s, expected a number of cases as well",
                                      sampling_names[sampling]);
    if (n > 0)
        return lk_node_refuse(cases, err,
                              "cases are counted where the sampling is %s, expected none here",
                              sampling_names[sampling]);
    result = refuse_spreads(s, err);
    if (result != 0)
        return result;
    return s->sampling == SAMPLING_GRID ? count_grid(root, s, err) : count_list(s, err);
}

/* Return the index of the value of quantity @q in case @i of a grid. The last quantity changes
 * fastest. */
static int grid_place(const struct study *s, int q, uint64_t i)
{
    for (int k = s->n_quantities - 1; k > q; k--)
        i /= (uint64_t)s->quantity[k].n;
    return (int)(i % (uint64_t)s->quantity[q].n);
}

static double spread_value(const struct quantity *x, double u)
{
    double low = x->low, high = x->high;

    switch (x->spread) {
    case SPREAD_UNIFORM:
        return fmin(fmax(low + u * (high - low), low), high);
    case SPREAD_LOG_UNIFORM:
        return fmin(fmax(lk_exp(lk_log(low) + u * (lk_log(high) - lk_log(low))), low), high);
    case SPREAD_NORMAL:
        return low + high * sample_normal(u);
    default:
        return floor(u * x->n);
    }
}

double study_value(const struct study *s, int q, uint64_t i)
{
    const struct quantity *x = &s->quantity[q];
    double place = 0;

    if (x->spread != SPREAD_VALUES || s->sampling >= SAMPLING_RANDOM) {
        place = spread_value(x, s->sampling == SAMPLING_LATIN_HYPERCUBE
                                    ? sample_stratified(s->seed, x->hash, s->cases, i)
                                    : sample_uniform(s->seed, x->hash, i));
        if (x->spread != SPREAD_VALUES)
            return place;
    } else if (s->sampling == SAMPLING_GRID) {
        place = grid_place(s, q, i);
    } else {
        place = x->n > 1 ? (double)i : 0;
    }
    place = fmin(place, x->n - 1);
    return x->file != NULL ? place : x->value[(int)place];
}

/* ---- all of it ---- */

static int fill_study(const char *name, struct study *s, struct lk_error *err)
{
    struct lk_node root = lk_document_root(s->document);
    struct lk_error further;
    int result = read_head(root, name, s, err);

    if (lk_node_kind(root) != LK_NODE_MAP || result < 0)
        return result;
    result = lk_also(result, study_read_quantities(root, name, s, result == 0 ? err : &further));
    if (result >= 0)
        result = lk_also(result, study_read_outputs(root, s, result == 0 ? err : &further));
    if (result >= 0)
        result = lk_also(result, study_read_checks(root, s, result == 0 ? err : &further));
    return result == 0 ? read_sampling(root, s, err) : result;
}

int study_read_text(const char *name, const char *text, size_t size, struct study **ret_study,
                    struct lk_errors *ret_errors)
{
    struct study *s = calloc(1, sizeof(*s));
    struct lk_error error = {""};
    int result;

    if (s == NULL)
        return -ENOMEM;
    s->residual = STUDY_RESIDUAL;
    s->energy = INFINITY;
    result = lk_document_parse(name, text, size, &s->document, &error);
    if (result == 0)
        result = fill_study(name, s, &error);
    lk_document_errors(s->document, result, &error, ret_errors);
    if (result == 0)
        *ret_study = s;
    else
        study_free(s);
    return result;
}

int study_read(const char *path, struct study **ret_study, struct lk_errors *ret_errors)
{
    struct lk_error error = {""};
    char *text = NULL;
    size_t size = 0;
    int result = lk_document_text(path, &text, &size, &error);

    if (result == 0)
        result = study_read_text(path, text, size, ret_study, ret_errors);
    else
        lk_document_errors(NULL, result, &error, ret_errors);
    free(text);
    return result;
}

void study_free(struct study *s)
{
    if (s == NULL)
        return;
    for (int q = 0; q < s->n_quantities; q++) {
        for (int k = 0; s->quantity[q].file != NULL && k < s->quantity[q].n; k++)
            free(s->quantity[q].file[k]);
        free(s->quantity[q].file);
        free(s->quantity[q].value);
    }
    free(s->quantity);
    free(s->output);
    free(s->check);
    free(s->model);
    lk_document_free(s->document);
    free(s);
}
