/* SPDX-License-Identifier: Apache-2.0 */
#include "platform.h"
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same_type(struct recorded *file, enum lk_recording_channel topic,
                      const struct lk_mcap_type *type)
{
    const struct recorded_topic *t = recorded_topic(file, lk_recording_topic(topic));

    if (t != NULL && t->schema.size == type->descriptor.size &&
        memcmp(t->schema.data, type->descriptor.data, t->schema.size) == 0)
        return true;
    complain("%s: %s is not as this version writes it", file->path, lk_recording_topic(topic));
    return false;
}

bool platform_prepare(struct platform_replay *p, struct recorded *file)
{
    const struct lk_channel *step, *whole;
    int n_step, n_whole;

    if (recorded_topic(file, lk_recording_topic(LK_RECORDING_PLATFORM)) == NULL)
        return true;
    step = lk_ride_step_channels(&n_step);
    whole = lk_ride_whole_channels(&n_whole);
    p->present = true;
    if (lk_mcap_type_init(&p->step_type, "platform", "Step", step, n_step) != 0 ||
        lk_mcap_type_init(&p->whole_type, "platform", "State", whole, n_whole) != 0) {
        complain("out of memory");
        return false;
    }
    return same_type(file, LK_RECORDING_PLATFORM, &p->step_type) &&
           same_type(file, LK_RECORDING_PLATFORM_STATE, &p->whole_type);
}

void platform_fini(struct platform_replay *p)
{
    lk_mcap_type_fini(&p->step_type);
    lk_mcap_type_fini(&p->whole_type);
}

/* Compare two arrays of numbers bit by bit.
 * Return: index of the first number that differs; -1: all bits are equal. */
static int first_other(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof(double)) != 0)
            return i;
    return -1;
}

static void say_difference(struct platform_replay *p, const struct lk_channel *channels, int n,
                           int index, double recorded, double computed)
{
    progress_hide();
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        if (index >= c->offset && index < c->offset + c->size)
            printf("step %" PRIu32 " of the platform differs: %s%s%s\n", p->number, c->name,
                   c->size > 1 ? "." : "", c->component[index - c->offset]);
    }
    printf("  recorded  %.17g\n  computed  %.17g\n", recorded, computed);
    p->differs = true;
}

static void compare_whole(struct platform_replay *p)
{
    double computed[LK_RIDE_WHOLE_NUMBERS];
    const struct lk_channel *channels;
    int n, index;

    lk_ride_save(&p->ride, computed);
    channels = lk_ride_whole_channels(&n);
    index = first_other(p->whole, computed, n);
    if (index >= 0)
        say_difference(p, channels, n, index, p->whole[index], computed[index]);
}

/* Use the requested gains of the recording. They are the only values in the whole state that come
 * from outside of the ride. */
static void take_gains(struct platform_replay *p)
{
    struct lk_ride recorded;

    if (lk_ride_load(&recorded, p->whole))
        memcpy(p->ride.gains.wanted, recorded.gains.wanted, sizeof(p->ride.gains.wanted));
}

static void repeat_step(struct platform_replay *p, const double *number)
{
    double computed[LK_RIDE_STEP_NUMBERS];
    const struct lk_channel *channels;
    int n, index;

    if (number[LK_RIDE_N_GAINS] != 0 && p->has_whole)
        take_gains(p);
    lk_ride_obey(&p->ride, number[LK_RIDE_N_ORDERS]);
    lk_ride_step(&p->ride, number + LK_RIDE_N_SENSOR);
    lk_ride_show_step(&p->ride, number + LK_RIDE_N_SENSOR, computed);
    computed[LK_RIDE_N_GAINS] = number[LK_RIDE_N_GAINS];
    p->n_steps++;
    channels = lk_ride_step_channels(&n);
    index = first_other(number, computed, LK_RIDE_STEP_NUMBERS);
    if (index >= 0)
        say_difference(p, channels, n, index, number[index], computed[index]);
    else if (p->has_whole)
        compare_whole(p);
}

/* Compare a step. If the previous step is unknown, the ride begins from the recorded state. */
static void take_step(struct platform_replay *p, const struct lk_mcap_item *item)
{
    double number[LK_RIDE_STEP_NUMBERS];

    if (!lk_mcap_type_take(&p->step_type, item->data.data, item->data.size, number))
        return;
    if (p->begun && item->sequence != p->number + 1) {
        p->n_missing += item->sequence - p->number - 1;
        p->begun = false;
    }
    p->number = item->sequence;
    if (p->begun && number[LK_RIDE_N_ORDERS] != LK_RIDE_ORDERS_LOST)
        repeat_step(p, number);
    else
        p->begun = p->has_whole && lk_ride_load(&p->ride, p->whole);
    p->has_whole = false;
}

void platform_take(struct platform_replay *p, const char *topic, const struct lk_mcap_item *item)
{
    if (!p->present || p->differs)
        return;
    if (strcmp(topic, lk_recording_topic(LK_RECORDING_PLATFORM)) == 0)
        take_step(p, item);
    else if (strcmp(topic, lk_recording_topic(LK_RECORDING_PLATFORM_STATE)) == 0)
        p->has_whole =
            lk_mcap_type_take(&p->whole_type, item->data.data, item->data.size, p->whole);
}

void platform_say(const struct platform_replay *p)
{
    if (!p->present)
        return;
    if (p->n_missing > 0)
        printf("%" PRIu64 " steps of the platform are missing\n", p->n_missing);
    if (p->differs)
        printf("%" PRIu64 " steps of the platform before were the same\n", p->n_steps - 1);
    else
        printf("%" PRIu64 " steps of the platform, every bit the same\n", p->n_steps);
}
