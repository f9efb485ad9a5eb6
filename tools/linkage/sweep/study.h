/* SPDX-License-Identifier: Apache-2.0 */
/* A study file: quantities that vary between the cases of a model, and results of each case.
 * doc/studies.md documents the format. */
#ifndef TOOLS_LINKAGE_SWEEP_STUDY_H
#define TOOLS_LINKAGE_SWEEP_STUDY_H

#include "linkage/document.h"
#include "linkage/linkage.h"
#include "linkage/parameters.h"

#include <stdint.h>

#define STUDY_CASES_MAX      10000000
#define STUDY_QUANTITIES_MAX 256
#define STUDY_VALUES_MAX     100000 /* values of a list */
#define STUDY_MEASURES_MAX   1024   /* output columns, and checks */
#define STUDY_RESIDUAL       1e-3   /* [m or rad], the limit of `linkage run` */

enum sampling { SAMPLING_GRID, SAMPLING_LIST, SAMPLING_RANDOM, SAMPLING_LATIN_HYPERCUBE };

/** enum role - role of a quantity in a case. */
enum role { ROLE_PARAMETER, ROLE_INPUT, ROLE_INPUT_FILE, ROLE_START_STATE };

enum spread { SPREAD_VALUES, SPREAD_UNIFORM, SPREAD_LOG_UNIFORM, SPREAD_NORMAL };

/** struct quantity - a quantity that may differ between cases.
 * @name:       path of a parameter, "channel" or "channel.component" of an input, "input_files",
 *              "start_states"
 * @node:       node of the value in the study, for messages
 * @hash:       hash of role and name, for samples
 * @low, @high: bounds of a uniform distribution; mean and standard deviation of a normal one
 * @n:          number of values or files of SPREAD_VALUES, in @value or @file */
struct quantity {
    enum role role;
    enum spread spread;
    char name[LK_PATH_SIZE];
    struct lk_node node;
    uint64_t hash;
    double low;
    double high;
    int n;
    double *value;
    char **file;
};

/** enum reduction - reduction of an output over a run to one number. REDUCTION_ALWAYS: only for
 * checks; both the smallest and the largest value are checked. */
enum reduction {
    REDUCTION_LAST,
    REDUCTION_MIN,
    REDUCTION_MAX,
    REDUCTION_MEAN,
    REDUCTION_RMS,
    REDUCTION_TIME_OF_MIN,
    REDUCTION_TIME_OF_MAX,
    REDUCTION_ALWAYS,
};

/** reduction_name() - Return the name that a study uses; "" for REDUCTION_ALWAYS. */
const char *reduction_name(enum reduction reduction);

/** struct measure - a reduction of an output, as a column or as a check.
 * @output:     "channel" or "channel.component"
 * @low, @high: bounds of a check, infinite if there is no bound */
struct measure {
    char output[2 * LK_NAME_SIZE];
    struct lk_node node;
    enum reduction reduction;
    double low;
    double high;
};

/** struct study - a study.
 * @model:    path relative to the working directory
 * @duration: simulated time of a case [s]
 * @step:     step [s], 0: that of the model
 * @engine:   engine, "" for that of the model
 * @cases:    number of cases
 * @residual: largest permitted violation of a joint [m or rad]; infinite: no check
 * @energy:   largest permitted error of the energy balance [J]; infinite: no check */
struct study {
    struct lk_document *document;
    char *model;
    double duration;
    double step;
    char engine[LK_NAME_SIZE];
    bool interpolate;
    enum sampling sampling;
    uint64_t cases;
    uint64_t seed;
    int n_quantities;
    struct quantity *quantity;
    int n_outputs;
    struct measure *output;
    int n_checks;
    struct measure *check;
    double residual;
    double energy;
};

/** study_read_text() - Read a study.
 * @name:       name of the study in messages; files named in the study are relative to its folder
 * @ret_errors: lines "file:line:column: what is wrong, what was expected"
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int study_read_text(const char *name, const char *text, size_t size, struct study **ret_study,
                    struct lk_errors *ret_errors);
/** study_read() - Read a study from a file, like study_read_text(). */
int study_read(const char *path, struct study **ret_study, struct lk_errors *ret_errors);
void study_free(struct study *study);

/** study_value() - Return the value of quantity @q in case @i, from 0; for files the index of the
 * file. */
double study_value(const struct study *study, int q, uint64_t i);

#endif
