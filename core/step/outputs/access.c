/* SPDX-License-Identifier: Apache-2.0 */
/* Read access to a system for callers. */
#include "linkage/drives.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/elements/contacts.h"
#include "step/elements/ports.h"
#include "step/lanes/batch.h"
#include "step/system.h"
#include <math.h>
#include <string.h>

double lk_system_step_size(const struct lk_system *system)
{
    return system->h;
}

uint64_t lk_system_step_count(const struct lk_system *system)
{
    return (uint64_t)system->now.balance->steps;
}

double lk_system_time(const struct lk_system *system)
{
    return lk_time(system);
}

const struct lk_channel *lk_system_input_channels(const struct lk_system *system, int *ret_n)
{
    *ret_n = system->n_inputs;
    return system->input_channel;
}

const struct lk_channel *lk_system_output_channels(const struct lk_system *system, int *ret_n)
{
    *ret_n = system->n_outputs;
    return system->output_channel;
}

double lk_system_input_period(const struct lk_system *system, int channel)
{
    double steps = 0;

    for (int i = 0; i < system->n_drives; i++) {
        const struct lk_drive *d = &system->drive[i];

        if (d->type == LK_DRIVE_INPUT && d->offset == system->input_channel[channel].offset)
            steps = d->n > steps ? d->n : steps;
    }
    return steps * system->h;
}

double lk_system_input_delay(const struct lk_system *system, int channel)
{
    return 2 * lk_system_input_period(system, channel);
}

int lk_system_input_size(const struct lk_system *system)
{
    return system->input_size;
}

int lk_system_output_size(const struct lk_system *system)
{
    return system->output_size;
}

void lk_system_health(const struct lk_system *system, struct lk_health *ret_health)
{
    const struct lk_balance *b = system->now.balance;

    *ret_health = (struct lk_health){
        .residual_position = b->residual_position,
        .residual_velocity = b->residual_velocity,
        .residual_acceleration = b->residual_acceleration,
        .increment = b->increment,
        .kinetic = b->kinetic,
        .potential = b->potential,
        .work_input = b->work_input,
        .work_drive = b->work_drive,
        .work_applied = b->work_applied,
        .dissipated = b->dissipated + b->taken,
        .port_gap = lk_ports_gap(system),
        .taken = b->taken,
    };
}

int lk_system_dependent_rows(const struct lk_system *system, double share)
{
    LK_ARITHMETIC;

    return system->batches ? lk_batches_dependent_rows(system->batches, share)
                           : lk_fronts_dependent_rows(lk_last_factor(system), system->rigid, share);
}

/* Find the element of a beam that is strained most. */
static void find_strain(const struct lk_system *system, struct lk_extent *ret)
{
    double strain = 0;

    ret->strain = 0;
    ret->strained = 0;
    for (int i = 0; i < system->n_laws && system->has_elements; i++) {
        const struct lk_law *law = &system->law[i];
        const struct lk_joint *j = &system->joint[law->joint];

        strain = law->row == 0 ? 0 : strain; /* the rows of an element follow each other */
        strain += fabs(law->strain * system->now.lambda[j->row + law->row]);
        if (strain > ret->strain) {
            ret->strain = strain;
            ret->strained = system->body[j->body[0]].of; /* no element ends at the ground */
        }
    }
}

#define LEAST_FORCE 1e-12 /* normal force of a point that touches [N] */

/* Find the contact whose force the last step has left with the largest error. */
static void find_contact(const struct lk_system *system, struct lk_extent *ret)
{
    double residual = 0, normal = 0;

    ret->touching = 0;
    for (int i = 0; i < system->n_contacts; i++) {
        const struct lk_joint *j = &system->joint[system->contact[i].joint];
        double found = system->now.contact[i].residual;

        normal = lk_max(normal, -system->now.lambda[j->row + 2]);
        if (found > residual) {
            residual = found;
            ret->touching = system->body[j->body[j->body[1] >= system->n_bodies ? 0 : 1]].of;
        }
    }
    ret->contact = normal > LEAST_FORCE ? residual / normal : 0;
}

void lk_system_extent(const struct lk_system *system, struct lk_extent *ret)
{
    LK_ARITHMETIC;
    double farthest = 0, fastest = 0, turning = 0;

    find_strain(system, ret);
    find_contact(system, ret);
    ret->farthest = ret->fastest = ret->turning = 0;
    for (int b = 0; b < system->n_named_bodies; b++) {
        const struct lk_motion *m = &system->now.motion[b];
        double place = lk_dot(m->x, m->x), rate = lk_dot(m->v.v, m->v.v);
        double spin = lk_dot(m->v.w, m->v.w);

        if (place > farthest) {
            farthest = place;
            ret->farthest = b;
        }
        if (rate > fastest) {
            fastest = rate;
            ret->fastest = b;
        }
        if (spin > turning) {
            turning = spin;
            ret->turning = b;
        }
    }
    ret->position = sqrt(farthest);
    ret->speed = sqrt(fastest);
    ret->turn = sqrt(turning) * system->h;
}

static int find_name(const char (*names)[LK_NAME_SIZE], int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int lk_channel_index(const struct lk_channel *channels, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, name) == 0)
            return i;
    return -1;
}

int lk_system_input_index(const struct lk_system *system, const char *name)
{
    return lk_channel_index(system->input_channel, system->n_inputs, name);
}

int lk_system_output_index(const struct lk_system *system, const char *name)
{
    return lk_channel_index(system->output_channel, system->n_outputs, name);
}

int lk_system_body_index(const struct lk_system *system, const char *name)
{
    return find_name((const char(*)[LK_NAME_SIZE])system->body_name, system->n_named_bodies, name);
}

int lk_system_joint_index(const struct lk_system *system, const char *name)
{
    return find_name((const char(*)[LK_NAME_SIZE])system->joint_name, system->n_named_joints, name);
}

const char *lk_system_body_name(const struct lk_system *system, int i)
{
    return system->body_name[i];
}

const char *lk_system_joint_name(const struct lk_system *system, int i)
{
    return system->joint_name[i];
}

void lk_system_body_state(const struct lk_system *system, int body, struct lk_body_state *ret)
{
    const struct lk_motion *m = &system->now.motion[body];

    memcpy(ret->position, m->x, sizeof(m->x));
    memcpy(ret->orientation, m->q, sizeof(m->q));
    memcpy(ret->velocity, m->v.v, sizeof(m->v.v));
    memcpy(ret->angular_velocity, m->v.w, sizeof(m->v.w));
    memcpy(ret->acceleration, m->a.v, sizeof(m->a.v));
    memcpy(ret->angular_acceleration, m->a.w, sizeof(m->a.w));
}

void lk_system_poses(const struct lk_system *system, double *poses)
{
    for (int b = 0; b < system->summary.n_bodies; b++, poses += LK_POSE_SIZE) {
        const struct lk_motion *m = &system->now.motion[b];

        memcpy(poses, m->x, sizeof(m->x));
        memcpy(poses + 3, m->q, sizeof(m->q));
    }
}

const char *lk_system_note(const struct lk_system *system)
{
    return system->note;
}

void lk_system_equilibrium(const struct lk_system *system, struct lk_equilibrium *ret_equilibrium)
{
    *ret_equilibrium = system->equilibrium;
}

void lk_system_summary(const struct lk_system *system, struct lk_summary *ret_summary)
{
    *ret_summary = system->summary;
}

LK_RT void lk_system_set_pool(struct lk_system *system, struct lk_pool *pool)
{
    system->pool = pool;
}
