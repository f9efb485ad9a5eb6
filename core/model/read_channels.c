/* SPDX-License-Identifier: Apache-2.0 */
/* Sections `inputs` and `outputs`: the channels of a model. What a type needs is in one table for
 * each section, in the order of the enumeration. */
#include "reader.h"

#include <string.h>

#define REVOLUTE  (1u << LK_JOINT_REVOLUTE)
#define PRISMATIC (1u << LK_JOINT_PRISMATIC)

enum point_rule { POINT_NONE, POINT_OR_CENTRE, POINT_NEEDED };

/* struct channel_kind - @joints: types of joint that will do, when @keys has "joint"; 0 for all */
struct channel_kind {
    const char *what;
    const char *keys[6];
    unsigned joints;
    enum point_rule point;
};

static const char *const input_types[] = {"joint-torque", "joint-force", "body-force",
                                          "body-torque", NULL};
static const struct channel_kind inputs[LK_INPUT_TYPES] = {
    {"a joint-torque", {"type", "joint", NULL}, REVOLUTE, POINT_NONE},
    {"a joint-force", {"type", "joint", NULL}, PRISMATIC, POINT_NONE},
    {"a body-force", {"type", "body", "point", "frame", NULL}, 0, POINT_OR_CENTRE},
    {"a body-torque", {"type", "body", "frame", NULL}, 0, POINT_NONE},
};

static const char *const output_types[] = {"joint-position",
                                           "joint-velocity",
                                           "joint-reaction",
                                           "body-pose",
                                           "body-velocity",
                                           "point-position",
                                           "point-velocity",
                                           "energy",
                                           "work",
                                           "residual",
                                           NULL};
static const struct channel_kind outputs[LK_OUTPUT_TYPES] = {
    {"a joint-position", {"type", "joint", NULL}, REVOLUTE | PRISMATIC, POINT_NONE},
    {"a joint-velocity", {"type", "joint", NULL}, REVOLUTE | PRISMATIC, POINT_NONE},
    {"a joint-reaction", {"type", "joint", NULL}, 0, POINT_NONE},
    {"a body-pose", {"type", "body", NULL}, 0, POINT_NONE},
    {"a body-velocity", {"type", "body", NULL}, 0, POINT_NONE},
    {"a point-position", {"type", "body", "point", NULL}, 0, POINT_NEEDED},
    {"a point-velocity", {"type", "body", "point", NULL}, 0, POINT_NEEDED},
    {"an energy output", {"type", NULL}, 0, POINT_NONE},
    {"a work output", {"type", NULL}, 0, POINT_NONE},
    {"a residual output", {"type", NULL}, 0, POINT_NONE},
};

static bool has_key(const struct channel_kind *kind, const char *key)
{
    for (int i = 0; kind->keys[i] != NULL; i++) {
        if (strcmp(kind->keys[i], key) == 0)
            return true;
    }
    return false;
}

static int read_type(struct lk_node map, const char *what, const char *const types[],
                     const struct channel_kind *kinds, int *ret_type, struct lk_error *err)
{
    static const char *const any[] = {"type", "joint", "body", "point", "frame", NULL};
    int result = 0;

    if (lk_node_kind(map) != LK_NODE_MAP)
        result = lk_node_check_keys(map, what, any, err);
    if (result == 0)
        result = lk_node_read_choice(map, "type", types, ret_type, err);
    if (result == 0)
        result = lk_node_check_keys(map, kinds[*ret_type].what, kinds[*ret_type].keys, err);
    return result;
}

/* What a channel refers to: a joint, a body, a point of that body, or nothing. */
static int read_target(struct lk_node map, const struct channel_kind *kind,
                       const struct lk_model *model, int *joint, int *body, double point[3],
                       struct lk_error *err)
{
    int result = 0;

    *joint = *body = -1;
    if (has_key(kind, "joint"))
        result = lk_read_joint_key(map, "joint", model, kind->joints, joint, err);
    if (result == 0 && has_key(kind, "body"))
        result = lk_read_body_key(map, "body", model, body, err);
    if (result != 0 || kind->point == POINT_NONE)
        return result;
    if (kind->point == POINT_NEEDED)
        return lk_read_vector(map, "point", point, err);
    memcpy(point, model->bodies[*body].position, 3 * sizeof(point[0]));
    return lk_read_vector_or(map, "point", point, err);
}

static int read_input(struct lk_node key, struct lk_node map, const struct lk_model *model,
                      struct lk_input_def *input, struct lk_error *err)
{
    int type = 0;
    int result = lk_read_name(key, "channel", input->name, err);

    if (result == 0)
        result = read_type(map, "an input", input_types, inputs, &type, err);
    if (result == 0)
        result =
            read_target(map, &inputs[type], model, &input->joint, &input->body, input->point, err);
    if (result == 0)
        result = lk_read_frame_or(map, "frame", &input->frame, err);
    input->type = (enum lk_input_type)type;
    return result;
}

/* A recording or a plot may hold both, so a name means one channel. */
static int check_apart(struct lk_node key, const struct lk_model *model, struct lk_error *err)
{
    for (int i = 0; i < model->n_inputs; i++) {
        if (strcmp(model->inputs[i].name, lk_node_text(key)) == 0)
            return lk_node_refuse(key, err,
                                  "output '%s' has the name of an input, expected another name",
                                  lk_node_text(key));
    }
    return 0;
}

static int read_output(struct lk_node key, struct lk_node map, const struct lk_model *model,
                       struct lk_output_def *output, struct lk_error *err)
{
    int type = 0;
    int result = lk_read_name(key, "channel", output->name, err);

    if (result == 0)
        result = check_apart(key, model, err);
    if (result == 0)
        result = read_type(map, "an output", output_types, outputs, &type, err);
    if (result == 0)
        result = read_target(map, &outputs[type], model, &output->joint, &output->body,
                             output->point, err);
    output->type = (enum lk_output_type)type;
    return result;
}

int lk_read_inputs(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "inputs", LK_CHANNELS_MAX, sizeof(*model->inputs), &map,
                                 &model->inputs, &model->n_inputs, err);

    for (int i = 0; i < model->n_inputs && result == 0; i++)
        result =
            read_input(lk_node_key_at(map, i), lk_node_at(map, i), model, &model->inputs[i], err);
    return result;
}

int lk_read_outputs(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "outputs", LK_CHANNELS_MAX, sizeof(*model->outputs), &map,
                                 &model->outputs, &model->n_outputs, err);

    for (int i = 0; i < model->n_outputs && result == 0; i++)
        result =
            read_output(lk_node_key_at(map, i), lk_node_at(map, i), model, &model->outputs[i], err);
    return result;
}
