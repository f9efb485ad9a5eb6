/* SPDX-License-Identifier: Apache-2.0 */
/* linkage washout: a drive on the platform as text and as JSON. */
#include "linkage/json.h"
#include "washout.h"

#include <math.h>
#include <stdio.h>

static const char *const axes[] = {"surge", "sway", "heave"};

/* ---- text ---- */

/* Return how much of the way from 0 to the ends of the guard was used, in percent. */
static double part_of_stroke(const struct lk_actuator_limits *limits, double low, double high)
{
    return 100 *
           fmax(fmax(low / lk_leg_guard_end(limits, -1), high / lk_leg_guard_end(limits, 1)), 0);
}

static void print_legs(const struct drive *drive, const struct drive_result *result)
{
    const struct lk_platform *platform = &drive->ride.platform;

    printf("actuator              moved    stroke     speed  of limit  acceleration  of limit"
           "              asked for\n");
    for (int i = 0; i < platform->n; i++) {
        const struct drive_leg *leg = &result->leg[i];
        const struct lk_actuator_limits *limits = &platform->limits[i];
        const char *unit = drive_unit(platform, i);

        printf("a%d    %7.3f ... %6.3f %-3s %5.0f %% %9.3f %7.0f %% %13.2f %7.0f %% %9.3f ... "
               "%6.3f %-3s\n",
               i + 1, leg->low, leg->high, unit, part_of_stroke(limits, leg->low, leg->high),
               leg->speed, 100 * leg->speed / limits->speed, leg->acceleration,
               100 * leg->acceleration / limits->acceleration, leg->wanted_low, leg->wanted_high,
               unit);
    }
}

static void print_guard(const struct drive_result *result)
{
    int n = result->n_spans < DRIVE_SPANS_MAX ? result->n_spans : DRIVE_SPANS_MAX;

    if (result->n_spans == 0) {
        puts("guard     did not act");
        return;
    }
    printf("guard     acted for %.3g s:", result->limited);
    for (int i = 0; i < n; i++)
        printf("%s %.2f to %.2f s", i > 0 ? "," : "", result->span[i][0], result->span[i][1]);
    if (result->n_spans > n)
        printf(", and %d times more", result->n_spans - n);
    putchar('\n');
}

static bool has_cue(const struct drive_result *result, int axis)
{
    return result->cue[axis] > 0 && isfinite(result->error[axis]);
}

/* Print what was felt of each axis that has a cue. */
static void print_felt(const char *name, const struct drive_result *result)
{
    const char *separator = "";

    printf("%-9s", name);
    for (int k = 0; k < 3; k++) {
        if (!has_cue(result, k))
            continue;
        printf("%s %s error %.2f of a cue of %.3g m/s^2", separator, axes[k], result->error[k],
               result->cue[k]);
        separator = ";";
    }
    puts(*separator != '\0' ? "" : " no cue");
}

/* Find the largest scales at which the guard never acts. Return: the factor on those of the
 * configuration; 0: there is none, or scales come from the recording and have no factor. */
static double find_fit(const struct drive *drive, struct drive_result *ret_result)
{
    for (int i = 0; i < LK_WASHOUT_VALUES; i++)
        if (drive->gain_at[i] >= 0)
            return 0;
    return drive_find_fit(drive, ret_result);
}

void drive_print_text(const struct drive *drive, const char *path,
                      const struct drive_result *result)
{
    struct drive_result fitted = {0};
    double factor = find_fit(drive, &fitted);

    printf("%s: %.4g s at %.4g Hz\n", path, result->duration, 1 / drive->ride.h);
    print_legs(drive, result);
    print_guard(result);
    print_felt("felt", result);
    if (factor > 0) {
        printf("%s     up to %.2f of these scales the guard does not act\n",
               result->limited > 0 ? "fits " : "room ", factor);
        print_felt("  felt", &fitted);
    }
}

/* ---- JSON ---- */

static void put_actuators(struct lk_json *json, const struct drive *drive,
                          const struct drive_result *result)
{
    const struct lk_platform *platform = &drive->ride.platform;

    lk_json_open(json, "actuators", '[');
    for (int i = 0; i < platform->n; i++) {
        const struct drive_leg *leg = &result->leg[i];
        const struct lk_actuator_limits *limits = &platform->limits[i];

        lk_json_line(json, 2);
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "unit", drive_unit(platform, i));
        lk_json_number(json, "low", leg->low);
        lk_json_number(json, "high", leg->high);
        lk_json_number(json, "stroke", part_of_stroke(limits, leg->low, leg->high) / 100);
        lk_json_number(json, "speed", leg->speed);
        lk_json_number(json, "speed_limit", limits->speed);
        lk_json_number(json, "acceleration", leg->acceleration);
        lk_json_number(json, "acceleration_limit", limits->acceleration);
        lk_json_number(json, "wanted_low", leg->wanted_low);
        lk_json_number(json, "wanted_high", leg->wanted_high);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void put_felt(struct lk_json *json, const struct drive_result *result)
{
    lk_json_open(json, "felt", '{');
    for (int k = 0; k < 3; k++) {
        if (!has_cue(result, k))
            continue;
        lk_json_open(json, axes[k], '{');
        lk_json_number(json, "cue_m_per_s2", result->cue[k]);
        lk_json_number(json, "error", result->error[k]);
        lk_json_close(json, '}');
    }
    lk_json_close(json, '}');
}

static void put_guard(struct lk_json *json, const struct drive_result *result)
{
    lk_json_open(json, "guard", '{');
    lk_json_number(json, "limited_s", result->limited);
    lk_json_count(json, "times", (uint64_t)result->n_spans);
    lk_json_open(json, "first_times_s", '[');
    for (int i = 0; i < result->n_spans && i < DRIVE_SPANS_MAX; i++) {
        lk_json_open(json, NULL, '[');
        lk_json_number(json, NULL, result->span[i][0]);
        lk_json_number(json, NULL, result->span[i][1]);
        lk_json_close(json, ']');
    }
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

void drive_print_json(const struct drive *drive, const char *path,
                      const struct drive_result *result)
{
    struct lk_json json = {.file = stdout, .spaced = true};
    struct drive_result fitted = {0};
    double factor = find_fit(drive, &fitted);

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "file", path);
    lk_json_number(&json, "duration_s", result->duration);
    lk_json_number(&json, "step_s", drive->ride.h);
    put_actuators(&json, drive, result);
    lk_json_line(&json, 1);
    put_guard(&json, result);
    put_felt(&json, result);
    if (factor > 0) {
        lk_json_open(&json, "fit", '{');
        lk_json_number(&json, "factor", factor);
        put_felt(&json, &fitted);
        lk_json_close(&json, '}');
    } else {
        lk_json_null(&json, "fit");
    }
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
