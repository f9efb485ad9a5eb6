/* SPDX-License-Identifier: Apache-2.0 */
/* Sections `inputs` and `outputs`: the channels of a model. For each section, one table in the
 * order of the enumeration states what each type needs. */
#include "model.h"
#include "reader.h"

#include <math.h>
#include <string.h>

#define AHEAD_MAX 0.1 /* longest prediction time [s] */

enum point_rule { POINT_NONE, POINT_OR_CENTRE, POINT_NEEDED };

/* enum joint_rule - joints that a channel may name, and number of its coordinates */
enum joint_rule {
    JOINT_NONE,
    JOINT_ANGLE,       /* one angle of a joint */
    JOINT_LENGTH,      /* one length of a joint */
    JOINT_COORDINATES, /* a joint with coordinates */
    JOINT_BODIES,      /* a joint between two bodies */
    JOINT_DRIVEN       /* a joint with a drive */
};

/* struct channel_kind - keys that the file has for a type of channel */
struct channel_kind {
    const char *name;
    const char *what;
    const char *keys[8];
    enum joint_rule joint;
    enum point_rule point;
};

/* keys of every input that describe its values */
#define VALUES "limits", "rate", "initial"

static const struct channel_kind inputs[LK_INPUT_TYPES] = {
    {"joint-torque",
     "a joint-torque",
     {"type", "joint", "coordinate", VALUES, NULL},
     JOINT_ANGLE,
     0},
    {"joint-force",
     "a joint-force",
     {"type", "joint", "coordinate", VALUES, NULL},
     JOINT_LENGTH,
     0},
    {"body-force",
     "a body-force",
     {"type", "body", "point", "frame", VALUES, NULL},
     0,
     POINT_OR_CENTRE},
    {"body-torque", "a body-torque", {"type", "body", "frame", VALUES, NULL}, 0, 0},
    {"drive", "a drive", {"type", VALUES, NULL}, 0, 0},
    {"signal", "a signal", {"type", VALUES, NULL}, 0, 0},
    {"ground", "a ground", {"type", NULL}, 0, 0},
};

static const struct channel_kind outputs[LK_OUTPUT_TYPES] = {
    {"joint-position", "a joint-position", {"type", "joint", "ahead", NULL}, JOINT_COORDINATES, 0},
    {"joint-velocity", "a joint-velocity", {"type", "joint", "ahead", NULL}, JOINT_COORDINATES, 0},
    {"joint-acceleration", "a joint-acceleration", {"type", "joint", NULL}, JOINT_COORDINATES, 0},
    {"joint-reaction", "a joint-reaction", {"type", "joint", NULL}, JOINT_BODIES, 0},
    {"body-pose", "a body-pose", {"type", "body", NULL}, 0, 0},
    {"body-velocity", "a body-velocity", {"type", "body", NULL}, 0, 0},
    {"body-acceleration", "a body-acceleration", {"type", "body", NULL}, 0, 0},
    {"point-position",
     "a point-position",
     {"type", "body", "point", "ahead", NULL},
     0,
     POINT_NEEDED},
    {"point-velocity",
     "a point-velocity",
     {"type", "body", "point", "ahead", NULL},
     0,
     POINT_NEEDED},
    {"point-acceleration",
     "a point-acceleration",
     {"type", "body", "point", NULL},
     0,
     POINT_NEEDED},
    {"inertial-sensor",
     "an inertial-sensor",
     {"type", "body", "point", "orientation", NULL},
     0,
     POINT_OR_CENTRE},
    {"force", "a force output", {"type", "force", NULL}, 0, 0},
    {"drive-force", "a drive-force", {"type", "joint", NULL}, JOINT_DRIVEN, 0},
    {"energy", "an energy output", {"type", NULL}, 0, 0},
    {"work", "a work output", {"type", NULL}, 0, 0},
    {"residual", "a residual output", {"type", NULL}, 0, 0},
    {"condition", "a condition output", {"type", NULL}, 0, 0},
    {"tyre", "a tyre output", {"type", "force", NULL}, 0, 0},
    {"tyre-contact", "a tyre-contact output", {"type", "force", NULL}, 0, 0},
    {"input", "an input output", {"type", "input", NULL}, 0, 0},
    {"mobility", "a mobility output", {"type", "input", "force", NULL}, 0, 0},
    {"port-work", "a port-work output", {"type", "input", "force", "told", NULL}, 0, 0},
    {"block", "a block output", {"type", "block", NULL}, 0, 0},
    {"mode", "a mode output", {"type", "body", "mode", NULL}, 0, 0},
    {"recovery", "a recovery output", {"type", "body", "of", NULL}, 0, 0},
    {"contact", "a contact output", {"type", "force", NULL}, 0, 0},
};

const char *lk_input_type_name(enum lk_input_type type)
{
    return inputs[type].name;
}

const char *lk_output_type_name(enum lk_output_type type)
{
    return outputs[type].name;
}

static bool has_key(const struct channel_kind *kind, const char *key)
{
    for (int i = 0; kind->keys[i] != NULL; i++) {
        if (strcmp(kind->keys[i], key) == 0)
            return true;
    }
    return false;
}

static int read_type(struct lk_node map, const char *what, const struct channel_kind *kinds, int n,
                     int *ret_type, struct lk_error *err)
{
    const char *names[LK_OUTPUT_TYPES + 1];
    int result;

    for (int i = 0; i < n; i++)
        names[i] = kinds[i].name;
    names[n] = NULL;
    result = lk_read_type(map, what, names, ret_type, err);
    return result != 0 ? result
                       : lk_node_check_keys(map, kinds[*ret_type].what, kinds[*ret_type].keys, err);
}

static int check_driven(struct lk_node node, const struct lk_model *model, int joint,
                        struct lk_error *err)
{
    for (int i = 0; i < model->n_drives; i++) {
        if (model->drives[i].joint == joint)
            return 0;
    }
    if (lk_node_is_refused(lk_document_root(node.document))) /* its drive may have been refused */
        return LK_E_TEXT;
    return lk_node_refuse(node, err, "joint '%s' has no drive, expected a joint with one",
                          model->joints[joint].name);
}

static int read_joint(struct lk_node map, enum joint_rule rule, const struct lk_model *model,
                      int *joint, int *coordinate, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "joint");
    int result = lk_read_joint_key(map, model, joint, err);

    if (result != 0)
        return result;
    if (rule == JOINT_DRIVEN)
        return check_driven(node, model, *joint, err);
    if (rule == JOINT_COORDINATES)
        return lk_check_coordinate(node, model, *joint, LK_COORDINATE_ANY, err);
    if (rule == JOINT_BODIES && lk_joint_is_coupling(model->joints[*joint].type))
        return lk_node_refuse(
            node, err, "joint '%s' is a %s joint, expected one between two bodies",
            model->joints[*joint].name, lk_joint_traits[model->joints[*joint].type].name);
    if (rule == JOINT_BODIES)
        return 0;
    return lk_read_coordinate_key(map, model,
                                  rule == JOINT_ANGLE ? LK_COORDINATE_ANGLE : LK_COORDINATE_LENGTH,
                                  joint, coordinate, err);
}

/* Read a body, and a point on the body, if the type of channel needs them. */
static int read_place(struct lk_node map, const struct channel_kind *kind,
                      const struct lk_model *model, bool is_frame, int *body, double point[3],
                      struct lk_error *err)
{
    int result = lk_read_body_key(map, "body", model, is_frame, body, err);

    if (result != 0 || kind->point == POINT_NONE)
        return result;
    if (kind->point == POINT_NEEDED)
        return lk_read_vector(map, "point", point, err);
    memcpy(point, model->bodies[*body].position, 3 * sizeof(point[0]));
    return lk_read_vector_or(map, "point", point, err);
}

/* Reads the value that is used until a bench sends a value: 0 by default, within the limits. */
static int read_initial(struct lk_node map, struct lk_input_def *input, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "initial");
    int result = lk_node_read_number_or(map, "initial", &input->initial, err);

    input->has_initial = lk_node_kind(node) != LK_NODE_NONE;
    if (result != 0 || (input->limits[0] <= input->initial && input->initial <= input->limits[1]))
        return result;
    if (lk_node_kind(node) == LK_NODE_NONE)
        return lk_node_refuse(lk_node_get(map, "limits"), err,
                              "limits of %g to %g, expected 0 between them, which an input has "
                              "until a bench speaks, or an initial value that is",
                              input->limits[0], input->limits[1]);
    return lk_node_refuse(node, err,
                          "an initial value of %g, expected one within the limits of %g "
                          "to %g",
                          input->initial, input->limits[0], input->limits[1]);
}

/* Reads the limit of the rate of change. */
static int read_rate(struct lk_node map, struct lk_input_def *input, struct lk_error *err)
{
    int result = lk_node_read_number_or(map, "rate", &input->rate, err);

    if (result == 0 && !(input->rate > 0))
        return lk_node_refuse(lk_node_get(map, "rate"), err,
                              "a rate of %g, expected a change per second above 0", input->rate);
    return result;
}

static int read_values(struct lk_node map, struct lk_input_def *input, struct lk_error *err)
{
    int result;

    input->limits[0] = -INFINITY;
    input->limits[1] = INFINITY;
    input->rate = INFINITY;
    result = lk_read_limits(map, input->limits, err);
    if (result == 0)
        result = read_initial(map, input, err);
    return lk_also(result, read_rate(map, input, err));
}

static int read_input(struct lk_node key, struct lk_node map, const struct lk_model *model,
                      struct lk_input_def *input, struct lk_error *err)
{
    const struct channel_kind *kind;
    int type = -1; /* unknown */
    int result = lk_read_name(key, "channel", input->name, err);

    input->joint = input->body = -1;
    result = lk_also(result, read_type(map, "an input", inputs, LK_INPUT_TYPES, &type, err));
    if (type < 0)
        return result;
    kind = &inputs[type];
    input->type = (enum lk_input_type)type;
    if (kind->joint != JOINT_NONE)
        result = lk_also(
            result, read_joint(map, kind->joint, model, &input->joint, &input->coordinate, err));
    if (has_key(kind, "body"))
        result =
            lk_also(result, read_place(map, kind, model, false, &input->body, input->point, err));
    result = lk_also(result, lk_read_frame_or(map, "frame", &input->frame, err));
    return lk_also(result, read_values(map, input, err));
}

/* Refuse a name that is both an input and an output, because a recording or a plot may contain
 * both. */
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

/* Return whether an output belongs to a tyre. */
static bool is_of_tyre(enum lk_output_type type)
{
    return type == LK_OUTPUT_TYRE || type == LK_OUTPUT_TYRE_CONTACT;
}

static int read_tyre(struct lk_node map, const struct lk_model *model, int *ret_force,
                     struct lk_error *err)
{
    int result = lk_read_force_key(map, model, ret_force, err);

    if (result == 0 && model->forces[*ret_force].type != LK_FORCE_TYRE)
        return lk_node_refuse(lk_node_get(map, "force"), err, "force '%s' is no tyre, expected one",
                              model->forces[*ret_force].name);
    return result;
}

static int read_contact(struct lk_node map, const struct lk_model *model, int *ret_force,
                        struct lk_error *err)
{
    int result = lk_read_force_key(map, model, ret_force, err);

    if (result == 0 && model->forces[*ret_force].type != LK_FORCE_CONTACT)
        return lk_node_refuse(lk_node_get(map, "force"), err,
                              "force '%s' is no contact, expected one",
                              model->forces[*ret_force].name);
    return result;
}

/* Read the force of an output. Loads that the file or an input prescribes are refused, because
 * they are known. The step computes only other forces. */
static int read_force(struct lk_node map, const struct lk_model *model, int *ret_force,
                      struct lk_error *err)
{
    int result = lk_read_force_key(map, model, ret_force, err);

    if (result == 0 && model->forces[*ret_force].type == LK_FORCE_TYRE)
        return lk_node_refuse(lk_node_get(map, "force"), err,
                              "force '%s' is a tyre, expected an output of type tyre or "
                              "tyre-contact for it",
                              model->forces[*ret_force].name);
    if (result == 0 && model->forces[*ret_force].type > LK_FORCE_STOP &&
        model->forces[*ret_force].type != LK_FORCE_DRAG &&
        model->forces[*ret_force].type != LK_FORCE_CONTACT)
        return lk_node_refuse(
            lk_node_get(map, "force"), err,
            "force '%s' is given by the model, expected a joint-spring-damper, "
            "spring-damper, bushing, creep, friction, impedance, force-map, callback, "
            "line, stop, drag or contact",
            model->forces[*ret_force].name);
    return result;
}

/* Read the axes of a sensor. The default is the axes of the body. */
static int read_orientation(struct lk_node map, const struct lk_model *model,
                            struct lk_output_def *output, struct lk_error *err)
{
    memcpy(output->orientation, model->bodies[output->body].orientation,
           sizeof(output->orientation));
    return lk_read_orientation_or(map, "orientation", output->orientation, err);
}

static int read_shown_input(struct lk_node map, const struct lk_model *model, int *ret_input,
                            struct lk_error *err)
{
    int result = lk_read_input_key(map, model, ret_input, err);

    if (result == 0)
        model->inputs[*ret_input].is_used = 1;
    return result;
}

static int read_shown_block(struct lk_node map, const struct lk_model *model, int *ret_block,
                            struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "block");
    int result = node.index == 0 ? lk_node_refuse(map, err,
                                                  "the key 'block' is missing, expected the name "
                                                  "of a block")
                                 : lk_read_block(node, model, ret_block, err);

    if (result == 0)
        model->blocks[*ret_block].is_used = 1;
    return result;
}

static bool is_of_port(enum lk_output_type type)
{
    return type == LK_OUTPUT_MOBILITY || type == LK_OUTPUT_PORT_WORK;
}

/* Read the point of action of a bench: an input that is a load, or an impedance. */
static int read_port(struct lk_node map, const struct lk_model *model, struct lk_output_def *output,
                     struct lk_error *err)
{
    struct lk_node input = lk_node_get(map, "input"), force = lk_node_get(map, "force");
    int result;

    if ((input.index == 0) == (force.index == 0))
        return lk_node_refuse(map, err,
                              "expected one of the keys 'input' and 'force', the name of "
                              "an input that is a load or of an impedance");
    if (input.index != 0) {
        result = lk_read_input_key(map, model, &output->input, err);
        if (result == 0 && !lk_input_is_load(model->inputs[output->input].type))
            return lk_node_refuse(input, err,
                                  "input '%s' is no load, expected a joint-torque, joint-force, "
                                  "body-force or body-torque",
                                  model->inputs[output->input].name);
        return result;
    }
    result = lk_read_force_key(map, model, &output->force, err);
    if (result == 0 && model->forces[output->force].type != LK_FORCE_IMPEDANCE)
        return lk_node_refuse(force, err, "force '%s' is no impedance, expected one",
                              model->forces[output->force].name);
    return result;
}

/* Read the signal by which a bench reports the work that it has done. */
static int read_told(struct lk_node map, const struct lk_model *model, struct lk_output_def *output,
                     struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "told");
    double unused;
    int result;

    if (node.index == 0)
        return 0;
    result = lk_read_number_or_signal(map, "told", 0, "J", model, &unused, &output->told, err);
    if (result == 0 && output->told < 0)
        result = lk_node_refuse(node, err, "told is a number, expected {input: NAME}");
    return result;
}

static int read_ahead(struct lk_node map, double *ret, struct lk_error *err)
{
    int result = lk_read_number_or(map, "ahead", 0, ret, err);

    if (result == 0 && *ret > AHEAD_MAX)
        return lk_node_refuse(lk_node_get(map, "ahead"), err,
                              "ahead is %g s, expected at most %g: farther than that nothing is "
                              "known",
                              *ret, AHEAD_MAX);
    return result;
}

/* Return whether an output is of the frame of a body, which a body with modes has as well. */
static bool shows_frame(enum lk_output_type type)
{
    return type == LK_OUTPUT_BODY_POSE || type == LK_OUTPUT_BODY_VELOCITY ||
           type == LK_OUTPUT_BODY_ACCELERATION || type == LK_OUTPUT_MODE ||
           type == LK_OUTPUT_RECOVERY;
}

/* Read the name of a recovery. */
static int read_recovery(struct lk_node map, const struct lk_model *model,
                         struct lk_output_def *output, struct lk_error *err)
{
    const struct lk_body_def *body = &model->bodies[output->body];
    const struct lk_modal_def *modal =
        body->kind == LK_BODY_MODAL ? &model->modals[body->modal] : NULL;
    char name[LK_NAME_SIZE];
    int result;

    if (modal == NULL || modal->n_recoveries == 0)
        return lk_node_refuse(lk_node_get(map, "body"), err,
                              "body '%s' has no recoveries, expected a modal body with the key "
                              "'recovery' in its modes, as 'linkage flex --recovery' writes it",
                              body->name);
    result = lk_read_word(lk_node_get(map, "of"), "of", name, err);
    for (output->mode = 0; output->mode < modal->n_recoveries; output->mode++)
        if (result == 0 && strcmp(modal->recovery[output->mode].name, name) == 0)
            return 0;
    return result != 0
               ? result
               : lk_node_refuse(lk_node_get(map, "of").index != 0 ? lk_node_get(map, "of") : map,
                                err, "body '%s' has no recovery '%s', expected one such as '%s'",
                                body->name, name, modal->recovery[0].name);
}

/* Read the number of a mode. */
static int read_mode(struct lk_node map, const struct lk_model *model, struct lk_output_def *output,
                     struct lk_error *err)
{
    const struct lk_body_def *body = &model->bodies[output->body];
    int n = body->kind == LK_BODY_MODAL ? model->modals[body->modal].n : 0;
    long mode = 0;
    int result;

    if (n == 0)
        return lk_node_refuse(lk_node_get(map, "body"), err,
                              "body '%s' has no modes, expected a modal body", body->name);
    if (lk_node_get(map, "mode").index == 0)
        return lk_node_refuse(map, err, "the key 'mode' is missing, expected a number from 1 to %d",
                              n);
    result = lk_node_read_int_or(map, "mode", 1, n, &mode, err);
    output->mode = (int)mode - 1;
    return result;
}

static int read_target(struct lk_node map, const struct lk_model *model,
                       struct lk_output_def *output, struct lk_error *err)
{
    const struct channel_kind *kind = &outputs[output->type];
    int unused;
    int result = 0;

    if (kind->joint != JOINT_NONE)
        result = read_joint(map, kind->joint, model, &output->joint, &unused, err);
    if (has_key(kind, "body"))
        result = read_place(map, kind, model, shows_frame(output->type), &output->body,
                            output->point, err);
    if (result == 0 && output->type == LK_OUTPUT_MODE)
        result = read_mode(map, model, output, err);
    if (result == 0 && output->type == LK_OUTPUT_RECOVERY)
        result = read_recovery(map, model, output, err);
    if (result == 0 && has_key(kind, "orientation"))
        result = read_orientation(map, model, output, err);
    if (has_key(kind, "ahead"))
        result = lk_also(result, read_ahead(map, &output->ahead, err));
    if (is_of_port(output->type))
        return lk_also(read_port(map, model, output, err), read_told(map, model, output, err));
    if (result == 0 && has_key(kind, "force"))
        result = is_of_tyre(output->type)            ? read_tyre(map, model, &output->force, err)
                 : output->type == LK_OUTPUT_CONTACT ? read_contact(map, model, &output->force, err)
                                                     : read_force(map, model, &output->force, err);
    if (has_key(kind, "block"))
        result = read_shown_block(map, model, &output->block, err);
    if (has_key(kind, "input"))
        result = read_shown_input(map, model, &output->input, err);
    return result;
}

static int read_output(struct lk_node key, struct lk_node map, const struct lk_model *model,
                       struct lk_output_def *output, struct lk_error *err)
{
    int type = -1; /* unknown */
    int result = lk_read_name(key, "channel", output->name, err);

    output->joint = output->body = output->force = output->input = -1;
    output->told = -1;
    output->orientation[0] = 1;
    if (result == 0)
        result = check_apart(key, model, err);
    result = lk_also(result, read_type(map, "an output", outputs, LK_OUTPUT_TYPES, &type, err));
    if (type < 0)
        return result;
    output->type = (enum lk_output_type)type;
    return lk_also(result, read_target(map, model, output, err));
}

int lk_read_inputs(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "inputs", LK_CHANNELS_MAX, sizeof(*model->inputs), &map,
                                 &model->inputs, &model->n_inputs, err);

    for (int i = 0; i < model->n_inputs && lk_node_goes_on(root, result); i++)
        result = lk_also(result, read_input(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                            &model->inputs[i], err));
    return result;
}

/* Refuse a signal or a ground that nothing uses: usually a force element was forgotten. */
static int check_signals(struct lk_node root, const struct lk_model *model, struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, "inputs");

    for (int i = 0; i < model->n_inputs; i++)
        if (model->inputs[i].type == LK_INPUT_SIGNAL && !model->inputs[i].is_used)
            return lk_node_refuse(lk_node_key_at(map, i), err,
                                  "input '%s' is a signal that nothing takes, expected a force "
                                  "element with {input: %s}, a block, or an output that shows it",
                                  model->inputs[i].name, model->inputs[i].name);
        else if (model->inputs[i].type == LK_INPUT_GROUND && !model->inputs[i].is_used)
            return lk_node_refuse(lk_node_key_at(map, i), err,
                                  "input '%s' is a ground that no tyre has, expected a tyre with "
                                  "ground: {input: %s}",
                                  model->inputs[i].name, model->inputs[i].name);
    return 0;
}

static const char *channel_name(const struct lk_model *model, int i)
{
    return i < model->n_inputs ? model->inputs[i].name : model->outputs[i - model->n_inputs].name;
}

/* Refuse a name that reads as a component of another channel, as `hub.x` beside a channel `hub`. */
static int check_components(struct lk_node root, const struct lk_model *model, struct lk_error *err)
{
    int n = model->n_inputs + model->n_outputs;

    for (int i = 0; i < n; i++) {
        const char *name = channel_name(model, i), *dot = strrchr(name, '.');
        bool is_input = i < model->n_inputs;
        struct lk_node map = lk_node_get(root, is_input ? "inputs" : "outputs");

        for (int k = 0; k < n && dot != NULL; k++)
            if (strncmp(channel_name(model, k), name, (size_t)(dot - name)) == 0 &&
                channel_name(model, k)[dot - name] == '\0')
                return lk_node_refuse(lk_node_key_at(map, is_input ? i : i - model->n_inputs), err,
                                      "channel '%s' reads as a component of channel '%s', expected "
                                      "another name",
                                      name, channel_name(model, k));
    }
    return 0;
}

int lk_read_outputs(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "outputs", LK_CHANNELS_MAX, sizeof(*model->outputs), &map,
                                 &model->outputs, &model->n_outputs, err);

    for (int i = 0; i < model->n_outputs && lk_node_goes_on(root, result); i++)
        result = lk_also(result, read_output(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                             &model->outputs[i], err));
    result = lk_also(result, check_components(root, model, err));
    /* otherwise the element that uses the signal may have been refused */
    if (!lk_node_is_refused(root))
        result = lk_also(lk_also(result, check_signals(root, model, err)),
                         lk_check_blocks(root, model, err));
    return result;
}
