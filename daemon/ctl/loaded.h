/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is ready to run: its compiled system, its cycle and its identity. The compiling
 * thread (compile.h) or a test creates it; afterwards the control thread owns it. */
#ifndef LKD_CTL_LOADED_H
#define LKD_CTL_LOADED_H

#include "cycle.h"
#include "linkage/errors.h"
#include "linkage/findings.h"
#include <stdatomic.h>

/* Bounds of the cycle's period. A shorter period would be used up by the wait alone; with a longer
 * one a stop would take too long. */
#define LKD_PERIOD_MIN_NS INT64_C(50000)
#define LKD_PERIOD_MAX_NS INT64_C(100000000)

/* Upper bound of floating point operations per step: the longest period at 40e9 operations per
 * second, more than any set of cores can execute. */
#define LKD_STEP_FLOPS_MAX 4e9

/* Upper bound of floating point operations for finding warnings: about a second. */
#define LKD_FINDINGS_FLOPS_MAX 2e9

/** struct lkd_loaded - a model that is ready to run.
 * @model_id:   not 0, different for every load, at most 53 bits
 * @engine:     value of LINKAGE_ENGINE in the environment, or NULL
 * @text:       source of the model, @text_size bytes
 * @values:     external values in the format of lk_settings_write(), "" for none
 * @compile_ns: duration of compiling
 * @warnings:   warnings about the model */
struct lkd_loaded {
    char name[LK_NAME_SIZE];
    uint64_t model_id;
    char *text;
    size_t text_size;
    char *values;
    int64_t compile_ns;
    const char *engine;
    struct lk_model *model;
    struct lk_system *system;
    struct lkd_cycle *cycle;
    struct lk_findings warnings;
};

/** lkd_loaded_new() - Read and compile a model text.
 * @name:       name of the text in messages; "" is allowed
 * @text:       @size bytes; NULL if there is no text
 * @values:     see struct lkd_loaded; wrong values are reported as errors of the model
 * @settings:   see lkd_cycle_new()
 * @cancelled:  polled while compiling; compiling ends if it is true. May be NULL.
 * @ret_errors: all errors of the model, at least one line
 * Return: 0, LK_E_TEXT, LK_E_ASSEMBLY, LK_E_MODEL (with @ret_errors), -ECANCELED, -ENOMEM. */
int lkd_loaded_new(const char *name, const char *text, size_t size, const char *values,
                   const struct lkd_settings *settings, const atomic_bool *cancelled,
                   struct lkd_loaded **ret_loaded, struct lk_errors *ret_errors);

/** lkd_loaded_new_file() - Read and compile the model in the file at @path; otherwise like
 * lkd_loaded_new(). */
int lkd_loaded_new_file(const char *path, const struct lkd_settings *settings,
                        const atomic_bool *cancelled, struct lkd_loaded **ret_loaded,
                        struct lk_errors *ret_errors);

/** lkd_loaded_free() - Release @loaded, which may be NULL. Do not call it while the cycle of the
 * model runs. */
void lkd_loaded_free(struct lkd_loaded *loaded);

#endif
