/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole model file: its top-level keys, then its sections in order. */
#include "linkage/errors.h"
#include "maths/arithmetic.h"
#include "modes.h"
#include "parameters.h"
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lk_read_top(struct lk_node root, const char *what, struct lk_error *err)
{
    static const char *const keys[] = {"linkage", "name",   "gravity",    "bodies",   "joints",
                                       "forces",  "inputs", "outputs",    "solver",   "start",
                                       "roads",   "laws",   "parameters", "points",   "shapes",
                                       "blocks",  "parts",  "ports",      "flexible", NULL};
    static const char *const versions[] = {"1", NULL};
    int version, result;

    if (lk_node_kind(root) == LK_NODE_NONE)
        return lk_node_refuse(root, err, "the text is empty, expected %s", what);
    result = lk_node_check_keys(root, what, keys, err);
    if (lk_node_kind(root) != LK_NODE_MAP)
        return result;
    return lk_also(result, lk_node_read_choice(root, "linkage", versions, &version, err));
}

static int read_head(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    static const char *const starts[] = {"drawn", "equilibrium", NULL};
    struct lk_node name = lk_node_get(root, "name"), ports = lk_node_get(root, "ports");
    int result = lk_read_top(root, "a model", err);

    if (lk_node_kind(root) != LK_NODE_MAP)
        return result;
    if (lk_node_size(ports) > 0)
        result = lk_also(result, lk_node_refuse(ports, err,
                                                "a model with ports is a part, expected a model "
                                                "that includes it under 'parts'"));
    if (name.index == 0)
        result = lk_also(result,
                         lk_node_refuse(root, err, "the key 'name' is missing, expected a name"));
    else
        result = lk_also(result, lk_read_word(name, "model", model->name, err));
    if (lk_node_get(root, "start").index != 0)
        result = lk_also(result,
                         lk_node_read_choice(root, "start", starts, &model->starts_balanced, err));
    return result;
}

/* read gravity; call after the inputs, which may set it */
static int read_gravity(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    return lk_read_vector_or_signals(root, "gravity", "m/s^2", model, model->gravity,
                                     model->gravity_input, err);
}

/* After an error the remaining sections are still read, unless the file is no map or has no bodies,
 * which all sections need. */
static int read_model(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    static int (*const sections[])(struct lk_node, struct lk_model *, struct lk_error *) = {
        read_head,       lk_read_bodies, lk_read_joints,        lk_read_inputs,
        lk_read_blocks,  read_gravity,   lk_read_laws,          lk_read_roads,
        lk_read_shapes,  lk_read_forces, lk_read_block_sources, lk_read_drives,
        lk_read_outputs, lk_read_solver};
    int result = 0;

    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        if (!lk_node_goes_on(root, result) || (i > 0 && lk_node_kind(root) != LK_NODE_MAP) ||
            (i > 1 && model->n_bodies == 0))
            break;
        result = lk_also(result, sections[i](root, model, err));
    }
    return result;
}

static int fill_model(struct lk_document *document, const struct lk_source *source,
                      struct lk_model *model, struct lk_error *error)
{
    struct lk_parameters parameters;
    struct lk_error further;
    uint32_t of_files;

    for (int i = 0; i < 3; i++)
        model->gravity_input[i] = -1;

    bool has_parts = lk_node_get(lk_document_root(document), "parts").index != 0 ||
                     lk_modes_are_in_files(document);
    bool is_made = has_parts || lk_node_get(lk_document_root(document), "flexible").index != 0;
    int result = lk_document_lower(document, source, LK_LOWER_ALL, &parameters, error);

    model->parameters = parameters.list;
    model->n_parameters = parameters.n;
    free(parameters.state);
    model->folder = source->folder;
    model->files = source->files;
    /* if a part or a beam is refused, its bodies are missing: errors that follow from that are not
     * reported */
    if (result == 0 || (result > 0 && !is_made))
        result = lk_also(
            result, read_model(lk_document_root(document), model, result == 0 ? error : &further));
    model->folder = NULL;
    model->files = NULL;
    if (result != 0)
        return result;
    if (has_parts) /* as its flat text, for the same hash */
        result = lk_expressions_without_points(document);
    if (result != 0)
        return result;
    lk_model_files(model, &of_files);
    model->hash = lk_document_hash(document) ^ of_files;
    return 0;
}

int lk_model_from_document(int result, struct lk_document *document, const struct lk_source *source,
                           struct lk_error *error, struct lk_model **ret_model,
                           struct lk_errors *ret_errors)
{
    LK_ARITHMETIC;
    struct lk_model *model = NULL;

    if (result == 0) {
        model = calloc(1, sizeof(*model));
        result = model == NULL ? -ENOMEM : fill_model(document, source, model, error);
    }
    lk_document_errors(document, result, error, ret_errors);
    lk_document_free(document);
    if (result == 0)
        *ret_model = model;
    else
        lk_model_free(model);
    return result;
}

void lk_model_free(struct lk_model *model)
{
    if (model == NULL)
        return;
    lk_free_modes(model);
    free(model->bodies);
    free(model->joints);
    free(model->forces);
    free(model->inputs);
    free(model->outputs);
    free(model->drives);
    free(model->blocks);
    lk_free_roads(model);
    lk_free_shapes(model);
    free(model->laws);
    free(model->tyres);
    lk_free_tables(model);
    lk_parameters_fini(
        &(struct lk_parameters){.list = model->parameters, .n = model->n_parameters});
    free(model);
}

const struct lk_parameter *lk_model_parameters(const struct lk_model *model, int *ret_n)
{
    *ret_n = model->n_parameters;
    return model->parameters;
}

const char *lk_model_name(const struct lk_model *model)
{
    return model->name;
}
