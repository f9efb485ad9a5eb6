/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of the fastest motions of a model with its step: rotations, modes, iterations. */
#include "check.h"

#include <math.h>
#include <stdio.h>

/* Print the motion that is examined: the start of the model, or the rates given as options. */
static void print_when(const struct findings *f)
{
    printf("motion              ");
    if (f->n_rates == 0)
        printf("as the model starts; --rate JOINT=VALUE examines another one\n");
    for (int i = 0; i < f->n_rates; i++)
        printf("%s%s at %g%s", i == 0 ? "with " : ", ", f->rates[i].joint, f->rates[i].rate,
               i == f->n_rates - 1 ? "\n" : "");
}

static void print_turns(const struct findings *f)
{
    const struct lk_pace *p = &f->pace;
    char text[LK_TEXT_SIZE];

    printf("  turns             ");
    for (int i = 0; i < p->n_turns; i++)
        printf("%s%s %.3g rad", i == 0 ? "" : ", ",
               lk_body_text(f->system, p->turn[i].body, text, sizeof(text)), p->turn[i].turn);
    printf(p->n_turns == 0 ? "none\n" : " a step\n");
}

/* Print a mode.
 * @turns: the mode oscillates */
static void print_mode(const struct lk_pace *p, const char *what, const struct lk_pace_mode *mode,
                       bool turns)
{
    if (!(mode->rate > 0))
        return;
    if (turns)
        printf("  %-18s%.3g Hz, %.3g rad a step, in %s\n", what, mode->rate / (2 * M_PI),
               mode->rate * p->h, mode->where);
    else
        printf("  %-18s%.3g 1/s, %.3g a step, in %s\n", what, mode->rate, mode->rate * p->h,
               mode->where);
}

static void print_energy(const struct lk_pace *p)
{
    if (p->energy_swing > 0)
        printf(
            "  energy            swings by %.2g of the kinetic one, with the square of the step: "
            "by %g at %.2g s\n",
            p->energy_swing, LK_PACE_SWING, p->calm_step);
}

static void print_iterations(const struct lk_pace *p)
{
    if (p->n == 0)
        return;
    printf("  increments       ");
    for (int i = 0; i < p->n; i++)
        printf(" %.1e", p->increment[i]);
    printf(" m or rad\n  iterations        ");
    if (p->needed == 0)
        printf("no number of them is enough: contraction %.2g\n", p->contraction);
    else
        printf("%d of %d are needed to leave less than %g of the way of a step; contraction %.2g\n",
               p->needed, p->n, LK_PACE_SHARE, p->contraction);
    if (p->needed_ahead > 0)
        printf("                    %d to leave less than %g in the next %d steps, inputs thrown "
               "about\n",
               p->needed_ahead, LK_PACE_LEFT_AHEAD, LK_PACE_AHEAD);
}

void print_pace(const struct findings *f)
{
    const struct lk_pace *p = &f->pace;

    print_when(f);
    print_turns(f);
    print_mode(p, "springs", &p->spring, true);
    print_mode(p, "dampers", &p->damper, false);
    print_mode(p, "nutation", &p->nutation, true);
    print_mode(p, "tension", &p->swing, true);
    print_energy(p);
    print_iterations(p);
}

static void write_mode(struct lk_json *json, const char *key, const struct lk_pace_mode *mode)
{
    lk_json_open(json, key, '{');
    lk_json_number(json, "rate", mode->rate);
    lk_json_text(json, "where", mode->where);
    lk_json_close(json, '}');
}

void write_pace(struct lk_json *json, const struct findings *f)
{
    const struct lk_pace *p = &f->pace;
    char text[LK_TEXT_SIZE];

    lk_json_open(json, "turns", '[');
    for (int i = 0; i < p->n_turns; i++) {
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "body", lk_body_text(f->system, p->turn[i].body, text, sizeof(text)));
        lk_json_number(json, "rad_a_step", p->turn[i].turn);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
    write_mode(json, "springs", &p->spring);
    write_mode(json, "dampers", &p->damper);
    write_mode(json, "nutation", &p->nutation);
    write_mode(json, "tension", &p->swing);
    lk_json_number(json, "energy_swing", p->energy_swing);
    lk_json_number(json, "calm_step", p->calm_step);
    lk_json_open(json, "increments", '[');
    for (int i = 0; i < p->n; i++)
        lk_json_number(json, NULL, p->increment[i]);
    lk_json_close(json, ']');
    lk_json_number(json, "contraction", p->contraction);
    lk_json_number(json, "iterations_needed", p->needed);
    lk_json_number(json, "iterations_needed_ahead", p->needed_ahead);
}
