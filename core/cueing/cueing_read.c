/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/cueing_read.h"

#include <string.h>

#define N LK_PLATFORM_ACTUATORS

static int check_values(struct lk_node node, const char *key, const double *value, int n,
                        double low, double high, struct lk_error *error)
{
    for (int i = 0; i < n; i++)
        if (!(value[i] >= low && value[i] <= high))
            return lk_node_refuse(lk_node_get(node, key), error, "%s: %g, expected %g to %g", key,
                                  value[i], low, high);
    return 0;
}

/* Read a field of the washout: one number or a list of three numbers. */
static int read_field(struct lk_node node, const struct lk_gain_field *field,
                      struct lk_washout_set *set, struct lk_error *error)
{
    double value[3];
    char *place = (char *)set + (size_t)field->first * sizeof(double);
    int r;

    memcpy(value, place, (size_t)field->size * sizeof(double));
    r = field->size == 1 ? lk_node_read_number_or(node, field->key, value, error)
                         : lk_node_read_numbers_or(node, field->key, 3, value, error);
    if (r == 0)
        r = check_values(node, field->key, value, field->size, field->low, field->high, error);
    if (r == 0)
        memcpy(place, value, (size_t)field->size * sizeof(double));
    return r;
}

/* Read the field `coupled`: true, false, or a number from 0 (false) to 1 (true). */
static int read_coupled(struct lk_node node, const struct lk_gain_field *field,
                        struct lk_washout_set *set, struct lk_error *error)
{
    const char *text = lk_node_text(lk_node_get(node, field->key));
    bool coupled = false;
    int r;

    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return read_field(node, field, set, error);
    r = lk_node_read_bool_or(node, field->key, &coupled, error);
    set->coupled = coupled;
    return r;
}

static int read_washout(struct lk_node node, struct lk_ride_config *ride, struct lk_error *error)
{
    int r, set = 0;

    r = lk_node_kind(lk_node_get(node, "set")) == LK_NODE_NONE
            ? 0
            : lk_node_read_choice(node, "set", lk_washout_names, &set, error);
    ride->set = lk_washout_named(r ? 0 : set);
    for (int i = 0; i < LK_GAIN_FIELDS; i++) {
        const struct lk_gain_field *field = &lk_gain_fields[i];
        bool is_part = strcmp(field->key, "coupled") == 0;

        r = lk_also(r, (is_part ? read_coupled : read_field)(node, field, &ride->set, error));
    }
    return r;
}

/* ---- gains set by outputs of the model ---- */

static int read_name(struct lk_node node, char *ret, struct lk_error *error)
{
    const char *text = lk_node_text(node);

    if (lk_node_kind(node) != LK_NODE_SCALAR || strlen(text) >= LK_NAME_SIZE)
        return lk_node_refuse(node, error, "expected the name of an output of one value");
    strcpy(ret, text);
    return 0;
}

/* Read one name for all values of the field, or a list with one name for each value; '' keeps the
 * configured gain. */
static int read_gain(struct lk_node node, const struct lk_gain_field *field,
                     char (*gain)[LK_NAME_SIZE], struct lk_error *error)
{
    struct lk_node entry = lk_node_get(node, field->key);
    int r = 0;

    if (lk_node_kind(entry) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(entry) == LK_NODE_LIST && lk_node_size(entry) != field->size)
        return lk_node_refuse(entry, error, "%s: expected a name, or a list of %d", field->key,
                              field->size);
    for (int i = 0; i < field->size; i++)
        r = lk_also(r, read_name(lk_node_kind(entry) == LK_NODE_LIST ? lk_node_at(entry, i) : entry,
                                 gain[field->first + i], error));
    return r;
}

static int read_gains(struct lk_node root, char (*gain)[LK_NAME_SIZE], struct lk_error *error)
{
    struct lk_node node = lk_node_get(root, "gains");
    const char *keys[LK_GAIN_FIELDS + 1] = {NULL};
    int r;

    if (lk_node_kind(node) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(node) != LK_NODE_MAP)
        return lk_node_refuse(node, error,
                              "gains: expected a map from gains to outputs, as {force_scale: "
                              "NAME}");
    for (int i = 0; i < LK_GAIN_FIELDS; i++)
        keys[i] = lk_gain_fields[i].key;
    r = lk_node_check_keys(node, "gains", keys, error);
    for (int i = 0; i < LK_GAIN_FIELDS; i++)
        r = lk_also(r, read_gain(node, &lk_gain_fields[i], gain, error));
    return r;
}

/* ---- platform ---- */

/* Read one number for all actuators, or a list with one number for each. */
static int read_each(struct lk_node node, const char *key, int n, double low, double high,
                     double *ret, struct lk_error *error)
{
    int r;

    if (lk_node_kind(lk_node_get(node, key)) == LK_NODE_LIST) {
        r = lk_node_read_numbers(node, key, n, ret, error);
    } else {
        r = lk_node_read_number(node, key, ret, error);
        for (int i = 1; i < n; i++)
            ret[i] = ret[0];
    }
    return r ? r : check_values(node, key, ret, n, low, high, error);
}

static int read_limits(struct lk_node node, int n, struct lk_actuator_limits *limits,
                       struct lk_error *error)
{
    double low[N], high[N], speed[N], acceleration[N];
    int r;

    r = read_each(node, "low", n, -10, -0.01, low, error);
    r = lk_also(r, read_each(node, "high", n, 0.01, 10, high, error));
    r = lk_also(r, read_each(node, "speed", n, 0.01, 10, speed, error));
    r = lk_also(r, read_each(node, "acceleration", n, 0.1, 100, acceleration, error));
    for (int i = 0; i < n && r == 0; i++)
        limits[i] = (struct lk_actuator_limits){low[i], high[i], speed[i], acceleration[i]};
    return r;
}

static int read_hexapod(struct lk_node node, struct lk_hexapod *hexapod, struct lk_error *error)
{
    const struct {
        const char *key;
        double *value;
        double low;
        double high;
    } keys[] = {
        {"base_radius", &hexapod->base_radius, 0.05, 20},
        {"base_angle", &hexapod->base_angle, 0, 1.047},
        {"platform_radius", &hexapod->platform_radius, 0.05, 20},
        {"platform_angle", &hexapod->platform_angle, 0, 1.047},
        {"height", &hexapod->height, 0.05, 20},
    };
    int r = 0;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        int q = lk_node_read_number(node, keys[i].key, keys[i].value, error);

        if (q == 0)
            q = check_values(node, keys[i].key, keys[i].value, 1, keys[i].low, keys[i].high, error);
        r = lk_also(r, q);
    }
    return r;
}

static int read_platform(struct lk_node root, struct lk_ride_config *ride, struct lk_error *error)
{
    static const char *const kinds[] = {"hexapod", "six-axis", "three-axis", NULL};
    static const char *const all_keys[] = {
        "type",           "low",         "high",       "speed",
        "acceleration",   "base_radius", "base_angle", "platform_radius",
        "platform_angle", "height",      NULL};
    static const char *const keys[] = {"type", "low", "high", "speed", "acceleration", NULL};
    struct lk_node node = lk_node_get(root, "platform");
    struct lk_actuator_limits limits[N];
    struct lk_hexapod hexapod = {0};
    bool legs;
    int r, kind;

    if (lk_node_kind(node) != LK_NODE_MAP)
        return lk_node_refuse(lk_node_kind(node) == LK_NODE_NONE ? root : node, error,
                              "cueing: expected the key platform, a map with type and limits");
    r = lk_node_read_choice(node, "type", kinds, &kind, error);
    if (r)
        return r;
    legs = kind == LK_PLATFORM_HEXAPOD;
    r = lk_node_check_keys(node, legs ? "a hexapod" : "a platform of this type",
                           legs ? all_keys : keys, error);
    r = lk_also(r, read_limits(node, kind == LK_PLATFORM_THREE_AXIS ? 3 : N, limits, error));
    if (legs)
        r = lk_also(r, read_hexapod(node, &hexapod, error));
    if (r)
        return r;
    if (!lk_platform_init(&ride->platform, (enum lk_platform_kind)kind, &hexapod, limits))
        return lk_node_refuse(node, error,
                              "within these strokes the legs reach a pose that they do not hold, "
                              "expected shorter strokes (low, high) or another geometry");
    return 0;
}

/* ---- the rest ---- */

static int read_between(struct lk_node node, const char *key, double low, double high, double *ret,
                        struct lk_error *error)
{
    int r = lk_node_read_number_or(node, key, ret, error);

    if (r == 0 && !(*ret >= low && *ret <= high))
        return lk_node_refuse(lk_node_get(node, key), error, "%g, expected %g to %g", *ret, low,
                              high);
    return r;
}

int lk_cueing_read(struct lk_node node, struct lk_cueing_names *ret_names,
                   struct lk_ride_config *ret_ride, struct lk_error *error)
{
    static const char *const keys[] = {"sensor",
                                       "set",
                                       "platform",
                                       "report",
                                       "rate",
                                       "silent",
                                       "fade",
                                       "pace",
                                       "coupled",
                                       "force_scale",
                                       "rate_scale",
                                       "force_limit",
                                       "rate_limit",
                                       "frequency",
                                       "damping",
                                       "leak",
                                       "tilt_frequency",
                                       "tilt_damping",
                                       "tilt_rate",
                                       "tilt_limit",
                                       "tilt_acceleration",
                                       "turn_frequency",
                                       "turn_damping",
                                       "head",
                                       "gains",
                                       NULL};
    struct lk_ride_config ride = {.fade = 2, .pace = 0.25};
    double rate = 1000;
    int r = lk_node_check_keys(node, "cueing", keys, error);

    *ret_names = (struct lk_cueing_names){0};
    r = lk_also(
        r, lk_node_read_text(node, "sensor", sizeof(ret_names->sensor), ret_names->sensor, error));
    r = lk_also(r, read_washout(node, &ride, error));
    r = lk_also(r, read_gains(node, ret_names->gain, error));
    r = lk_also(r, read_platform(node, &ride, error));
    r = lk_also(r, read_between(node, "rate", 60, 4000, &rate, error));
    r = lk_also(r, read_between(node, "fade", 0.1, 60, &ride.fade, error));
    r = lk_also(r, read_between(node, "pace", 0.01, 0.5, &ride.pace, error));
    ride.h = 1 / rate;
    *ret_ride = ride;
    return r;
}
