/* SPDX-License-Identifier: Apache-2.0 */
/* linkage fmu: options, and preparation of the model for the FMU. */
#include "fmu.h"
#include "commands.h"
#include "linkage/errors.h"
#include "methods/registry.h"
#include "model/packed.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EMBEDDED_MAX (8u << 20) /* largest model that compilers accept as an array [bytes] */

static int take_version(const struct option_row *row, const char *text)
{
    if (strcmp(text, "2") != 0 && strcmp(text, "3") != 0)
        return refuse_value(row, text, "2 or 3, of FMI");
    *(int *)row->data = text[0] - '0';
    return EXIT_DONE;
}

static int parse_options(int argc, char *argv[], struct fmu_export *e)
{
    static const char expected[] = "fmu: expected one model, and -o FILE.fmu";
    const struct option_row rows[] = {
        {"output", 'o', .text = &e->output},
        OUTPUT_FORCE_ROW,
        {"version", .take = take_version, .data = &e->version},
        {"source", .flag = &e->with_sources},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, expected, &e->path);

    return code == EXIT_DONE && e->output == NULL ? usage_error("%s", expected) : code;
}

/* Convert the name of a model to an identifier of C. */
static void make_id(const char *name, char id[FMU_ID_SIZE])
{
    snprintf(id, FMU_ID_SIZE, "%s%s", isalpha((unsigned char)name[0]) ? "" : "model_", name);
    for (char *c = id; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* Determine the variables from the packed model, in the way in which the FMU will read it. */
static bool find_variables(struct fmu_export *e, const struct lk_model *model)
{
    struct lk_errors errors = {0};
    struct lk_system *system;
    int result;

    if (lk_formulation_why_offline(model->solver.formulation) != NULL) {
        complain("%s: formulation %s has no fixed work a step, expected one that a daemon has, too",
                 e->path, model->solver.formulation);
        return false;
    }
    system = compile_model(e->path, model, NULL);
    if (system == NULL)
        return false;
    e->step = lk_system_step_size(system);
    result = fmu_variables_make(e->bytes, e->size, model, system, &e->variables, &errors);
    lk_system_free(system);
    if (result != 0)
        complain("%s: %s", e->path,
                 errors.n > 0 ? errors.line[0].text : strerror(result < 0 ? -result : EINVAL));
    return result == 0;
}

static bool pack(struct fmu_export *e)
{
    struct lk_errors errors = {0};
    int result = lk_model_pack(e->path, &e->bytes, &e->size, &errors);

    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (result < 0)
        complain("%s: %s", e->path, strerror(-result));
    if (result == 0 && e->with_sources && e->size > EMBEDDED_MAX) {
        complain("%s: the model and its roads have %zu bytes, expected at most %u in C; without "
                 "--source there is room",
                 e->path, e->size, EMBEDDED_MAX);
        return false;
    }
    return result == 0;
}

static int export_model(struct fmu_export *e)
{
    struct lk_model *model = NULL;
    struct lk_errors errors = {0};
    int code = EXIT_REFUSED;

    if (!pack(e))
        return code;
    fmu_token(e->bytes, e->size, e->token);
    if (lk_model_read_packed(e->bytes, e->size, NULL, 0, &model, &errors) != 0) {
        complain("%s: %s", e->path, errors.n > 0 ? errors.line[0].text : strerror(ENOMEM));
        return code;
    }
    make_id(lk_model_name(model), e->id);
    snprintf(e->title, sizeof(e->title), "%s", lk_model_name(model));
    if (find_variables(e, model) && (!e->with_sources || fmu_list_sources(e)) && fmu_write(e))
        code = EXIT_DONE;
    lk_model_free(model);
    return code;
}

int command_fmu(int argc, char *argv[])
{
    struct fmu_export e = {.version = 3};
    int count[FMU_OUTPUT + 1] = {0};
    int code = parse_options(argc, argv, &e);

    if (code != EXIT_DONE)
        return code;
    code = export_model(&e);
    for (int i = 0; i < e.variables.n; i++)
        count[e.variables.list[i].kind]++;
    if (code == EXIT_DONE)
        printf("%s: FMI %d.0 for co-simulation, step %g ms, %d inputs, %d outputs, %d tunable and "
               "%d fixed parameters%s\n",
               e.output, e.version, 1e3 * e.step, count[FMU_INPUT], count[FMU_OUTPUT],
               count[FMU_TUNABLE], count[FMU_FIXED], e.with_sources ? ", with sources" : "");
    for (int i = 0; i < e.n_sources; i++)
        free(e.sources[i]);
    free(e.sources);
    free(e.bytes);
    fmu_variables_fini(&e.variables);
    return code;
}
