/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the `drive` of joints, which prescribes a coordinate over time. Drives are written with
 * their joints, but read after the inputs that they name. */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool is_angle(const struct lk_model *model, const struct lk_drive_def *drive)
{
    enum lk_joint_type type = model->joints[drive->joint].type;

    return type == LK_JOINT_FIXED ? drive->coordinate >= 3
                                  : lk_joint_coordinate_is_angle(type, drive->coordinate);
}

/* Read the input of a drive. An input has one unit: all coordinates that it drives are angles, or
 * all are lengths. */
static int read_input(struct lk_node map, struct lk_model *model, struct lk_drive_def *drive,
                      struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "input");
    int angle = is_angle(model, drive);
    struct lk_input_def *input;
    int result = lk_read_input_key(map, model, &drive->input, err);

    if (result != 0)
        return result;
    input = &model->inputs[drive->input];
    if (input->type != LK_INPUT_DRIVE)
        return lk_node_refuse(node, err, "input '%s' is not of type drive, expected one that is",
                              input->name);
    if (input->is_angle == !angle)
        return lk_node_refuse(node, err,
                              "input '%s' drives %s already, expected another input for "
                              "%s",
                              input->name, angle ? "a length" : "an angle",
                              angle ? "an angle" : "a length");
    input->is_angle = angle;
    return lk_read_number_or(map, "period", 0, &drive->period, err);
}

/* Read the output of a block, whose index counts after all inputs. */
static int read_block(struct lk_node map, struct lk_model *model, struct lk_drive_def *drive,
                      struct lk_error *err)
{
    int block, result = lk_read_block(lk_node_get(map, "block"), model, &block, err);

    if (result != 0)
        return result;
    model->blocks[block].is_used = 1;
    drive->input = model->n_inputs + block;
    return 0;
}

/* A periodic table must end at its first value; otherwise the joint would jump. */
static int check_closed(struct lk_node map, struct lk_table *table, struct lk_error *err)
{
    double *first = &table->y[0], *last = &table->y[table->n - 1];
    double largest = 0;

    for (int i = 0; i < table->n; i++)
        largest = fmax(largest, fabs(table->y[i]));
    if (fabs(*last - *first) > 1e-9 * largest)
        return lk_node_refuse(lk_node_get(lk_node_get(map, "table"), "value"), err,
                              "value begins with %g and ends with %g, expected a periodic table to "
                              "end as it begins",
                              *first, *last);
    *last = *first;
    return 0;
}

static int read_table(struct lk_node map, struct lk_model *model, struct lk_drive_def *drive,
                      struct lk_error *err)
{
    bool periodic = false;
    int result = lk_read_table(map, "table", "time", "value", false, model, &drive->table, err);

    if (result == 0)
        result = lk_node_read_bool_or(map, "periodic", &periodic, err);
    drive->is_periodic = periodic;
    return result == 0 && periodic ? check_closed(map, &model->tables[drive->table], err) : result;
}

static int read_harmonic(struct lk_node map, struct lk_model *model, struct lk_drive_def *drive,
                         struct lk_error *err)
{
    static const char *const keys[] = {"amplitude", "omega", "phase", "offset", NULL};
    struct lk_node node = lk_node_get(map, "harmonic");
    int result = lk_node_check_keys(node, "harmonic", keys, err);

    (void)model;
    result =
        lk_also(result, lk_read_number(node, "amplitude", -LK_NUMBER_MAX, &drive->amplitude, err));
    result = lk_also(result, lk_read_number(node, "omega", -LK_NUMBER_MAX, &drive->omega, err));
    result = lk_also(result, lk_read_number_or(node, "phase", -LK_NUMBER_MAX, &drive->phase, err));
    result =
        lk_also(result, lk_read_number_or(node, "offset", -LK_NUMBER_MAX, &drive->offset, err));
    return result;
}

/* Read a ramp, which begins at the coordinate of the initial configuration unless the file gives an
 * offset. */
static int read_ramp(struct lk_node map, struct lk_model *model, struct lk_drive_def *drive,
                     struct lk_error *err)
{
    static const char *const keys[] = {"start", "rate", NULL};
    const struct lk_joint_def *joint = &model->joints[drive->joint];
    struct lk_node node = lk_node_get(map, "ramp");
    int result = lk_node_check_keys(node, "ramp", keys, err);

    drive->offset = joint->type == LK_JOINT_FIXED ? 0 : joint->coordinate[drive->coordinate];
    result = lk_also(result, lk_read_number_or(node, "start", -LK_NUMBER_MAX, &drive->offset, err));
    return lk_also(result, lk_read_number(node, "rate", -LK_NUMBER_MAX, &drive->rate, err));
}

/* the first key selects the form */
static const struct {
    enum lk_drive_type type;
    const char *what;
    const char *keys[3];
    int (*read)(struct lk_node, struct lk_model *, struct lk_drive_def *, struct lk_error *);
} forms[] = {
    {LK_DRIVE_INPUT, "a drive by input", {"input", "period", NULL}, read_input},
    {LK_DRIVE_TABLE, "a drive by table", {"table", "periodic", NULL}, read_table},
    {LK_DRIVE_HARMONIC, "a harmonic drive", {"harmonic", NULL}, read_harmonic},
    {LK_DRIVE_RAMP, "a ramp", {"ramp", NULL}, read_ramp},
    {LK_DRIVE_INPUT, "a drive by block", {"block", NULL}, read_block},
};

static int read_drive(struct lk_node map, struct lk_model *model, struct lk_drive_def *drive,
                      struct lk_error *err)
{
    static const char *const any[] = {"input",    "period", "table", "periodic",
                                      "harmonic", "ramp",   "block", NULL};
    size_t form = 0;
    int n = 0;
    int result = lk_node_check_keys(map, "a drive", any, err);

    if (result != 0)
        return result;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (lk_node_get(map, forms[i].keys[0]).index != 0) {
            drive->type = forms[i].type;
            form = i;
            n++;
        }
    }
    if (n != 1)
        return lk_node_refuse(map, err,
                              "a drive has %s, expected one of input, table, harmonic, ramp, block",
                              n == 0 ? "no source" : "several sources");
    result = lk_node_check_keys(map, forms[form].what, forms[form].keys, err);
    return result != 0 ? result : forms[form].read(map, model, drive, err);
}

static int append_drive(struct lk_node map, struct lk_model *model, int joint, int coordinate,
                        struct lk_error *err)
{
    size_t size = (size_t)(model->n_drives + 1) * sizeof(*model->drives);
    struct lk_drive_def *drives;

    if (model->n_drives >= LK_DRIVES_MAX)
        return lk_node_refuse(map, err, "there are more than %d drives, expected at most that many",
                              LK_DRIVES_MAX);
    if (model->joints[joint].hold >> coordinate & 1)
        return lk_node_refuse(map, err,
                              "joint '%s' has both start and drive, expected one of them: a drive "
                              "says where the joint starts",
                              model->joints[joint].name);
    drives = realloc(model->drives, size);
    if (drives == NULL)
        return -ENOMEM;
    model->drives = drives;
    drives[model->n_drives] =
        (struct lk_drive_def){.joint = joint, .coordinate = coordinate, .input = -1, .table = -1};
    return read_drive(map, model, &drives[model->n_drives++], err);
}

static int check_fixed(struct lk_node node, const struct lk_joint_def *joint, struct lk_error *err)
{
    if (joint->body[0] != LK_GROUND)
        return lk_node_refuse(node, err,
                              "fixed joint '%s' drives a body against another, expected ground as "
                              "its first body",
                              joint->name);
    if (joint->has_compliance)
        return lk_node_refuse(node, err,
                              "fixed joint '%s' has both drive and compliance, expected one of "
                              "them",
                              joint->name);
    return 0;
}

/* Reads `drive` of joint @i: one drive, or a map from coordinates to drives. */
static int read_joint(struct lk_node node, struct lk_model *model, int i, struct lk_error *err)
{
    static const char *const pose[] = {"x", "y", "z", "roll", "pitch", "yaw", NULL};
    const struct lk_joint_def *joint = &model->joints[i];
    const char *own[LK_COORDINATES_MAX + 1];
    const char *const *names = joint->type == LK_JOINT_FIXED ? pose : own;
    int result = 0;

    lk_coordinate_names(joint->type, own);
    if (lk_joint_traits[joint->type].n_coordinates == 1)
        return append_drive(node, model, i, 0, err);
    result = lk_node_check_keys(node, "drive", names, err);
    if (result == 0 && lk_node_size(node) == 0)
        result = lk_node_refuse(node, err, "drive has no entries, expected at least one");
    if (result == 0 && joint->type == LK_JOINT_FIXED)
        result = check_fixed(node, joint, err);
    for (int k = 0; names[k] != NULL && result == 0; k++) {
        struct lk_node entry = lk_node_get(node, names[k]);

        if (entry.index != 0)
            result = append_drive(entry, model, i, k, err);
    }
    return result;
}

/* Refuses a drive that acts on nothing: usually the user forgot a joint. */
static int check_followed(struct lk_node root, const struct lk_model *model, struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, "inputs");

    for (int i = 0; i < model->n_inputs; i++) {
        if (model->inputs[i].type == LK_INPUT_DRIVE && model->inputs[i].is_angle < 0)
            return lk_node_refuse(lk_node_key_at(map, i), err,
                                  "input '%s' drives nothing, expected a joint with drive: {input: "
                                  "%s}",
                                  model->inputs[i].name, model->inputs[i].name);
    }
    return 0;
}

int lk_read_drives(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, "joints");
    int result = 0;

    for (int i = 0; i < model->n_inputs; i++)
        model->inputs[i].is_angle = -1; /* unknown until a drive uses the input */
    for (int i = 0; i < model->n_joints && lk_node_goes_on(root, result); i++) {
        struct lk_node node = lk_node_get(lk_node_at(map, i), "drive");

        if (node.index != 0 && !lk_node_is_refused(lk_node_at(map, i)))
            result = lk_also(result, read_joint(node, model, i, err));
    }
    /* otherwise the drive that uses the input may have been refused */
    if (!lk_node_is_refused(root))
        result = check_followed(root, model, err);
    for (int i = 0; i < model->n_inputs; i++)
        model->inputs[i].is_angle = model->inputs[i].is_angle > 0;
    return result;
}
