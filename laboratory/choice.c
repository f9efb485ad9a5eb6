/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/choice.h"
#include "laboratory/methods.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX    128
#define LIST_SIZE    360
#define EXACT_ROUNDS 20 /* repetitions of all passes, with which errors of forces are small */

#define ALI3 "index-3 DCA with augmented Lagrangian and projections, Nonlinear Dynamics, 2018"

static const struct lk_lab_own owns[] = {
    {"ali3", "ali3", LK_COORDINATES_LIE, 2, ALI3},
    {"ali3:order-3", "ali3", LK_COORDINATES_LIE, 3, "two of these steps extrapolated"},
    {"ali3:order-4", "ali3", LK_COORDINATES_LIE, 4, "three of them"},
    {"ali3:euler-parameters", "ali3", LK_COORDINATES_EULER_PARAMETERS, 2,
     "the paper's own form, with a penalty for the length of the parameters"},
    {"ali3:as-printed", "ali3", LK_COORDINATES_AS_PRINTED, 2,
     "this form to the letter: rows of p itself, both projections side by side"},
    {"rattle", "rattle", LK_COORDINATES_LIE, 2,
     "the default step: symmetric and symplectic (Andersen, 1983) on the rotation group, with the "
     "joints and the tree of ali3"},
    {"rattle:order-4", "rattle", LK_COORDINATES_LIE, 4, "two of these steps extrapolated"},
    {"rattle:order-6", "rattle", LK_COORDINATES_LIE, 6, "three of them"},
    {"rattle:exact-contact", "rattle", LK_COORDINATES_LIE, 2,
     "the passes of contacts repeated until the forces of the step are exact (Alart and Curnier, "
     "1991)",
     EXACT_ROUNDS},
    {"rk4", "rk4", LK_COORDINATES_LIE, 2,
     "Runge-Kutta method of order 4 (Kutta, 1901) with the joints and projections of ali3"},
};
#define N_OWNS (sizeof(owns) / sizeof(*owns))

/* ---- tables of names ---- */

static struct lk_lab_name name_of(const char *name, const char *variant, const char *paper)
{
    struct lk_lab_name ret = {.paper = paper ? paper : ""};

    snprintf(ret.name, sizeof(ret.name), "%s%s%s", name, *variant ? ":" : "", variant);
    return ret;
}

static int is_fixed(const struct lk_equations *e)
{
    return lk_formulation_why_offline(e->name) == NULL;
}

static int list_equations(const struct lk_equations *e, struct lk_lab_name *ret, int max)
{
    static const char *const none[] = {"", NULL};
    const char *const *variants = e->variants ? e->variants : none;
    int n = 0;

    for (; variants[n] && n < max; n++) {
        ret[n] = name_of(e->name, variants[n], e->paper);
        ret[n].is_fixed = is_fixed(e);
        ret[n].is_default = n == 0;
    }
    return n;
}

/* struct table - names of methods. The first thread that needs the table fills it. Afterwards it is
 * read-only. */
struct table {
    struct lk_lab_name names[NAMES_MAX];
    int n;
};

static struct table formulations, integrators;

static void make_formulations(void)
{
    struct table *t = &formulations;

    for (size_t i = 0; i < N_OWNS; i++) {
        t->names[t->n] = name_of(owns[i].name, "", owns[i].paper);
        t->names[t->n].is_own = 1;
        t->names[t->n].is_default = strchr(owns[i].name, ':') == NULL;
        t->names[t->n++].is_fixed = 1;
    }
    for (int i = 0; lk_lab_equations[i]; i++)
        t->n += list_equations(lk_lab_equations[i], &t->names[t->n], NAMES_MAX - t->n);
}

static void make_integrators(void)
{
    static const char *const none[] = {"", NULL};
    struct table *t = &integrators;

    for (int i = 0; lk_integrators[i]; i++) {
        const struct lk_integrator *integrator = lk_integrators[i];
        const char *const *variants = integrator->variants ? integrator->variants : none;

        for (int k = 0; variants[k] && t->n < NAMES_MAX; k++) {
            struct lk_lab_name *name = &t->names[t->n++];

            *name = name_of(integrator->name, variants[k], integrator->paper);
            name->constrained = integrator->constrained;
            name->is_default = k == 0;
            name->has_error_control = integrator->has_error_control;
        }
    }
}

const struct lk_lab_name *lk_laboratory_formulations(int *ret_n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_formulations);
    *ret_n = formulations.n;
    return formulations.names;
}

const struct lk_lab_name *lk_laboratory_integrators(int *ret_n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_integrators);
    *ret_n = integrators.n;
    return integrators.names;
}

/* ---- from names to methods ---- */

/* Return whether @text is @name or "@name:variant".
 * @ret_variant: the variant as an entry of @variants; the first entry if @text has no variant; NULL
 *               if its variant is unknown */
static int is_called(const char *text, const char *name, const char *const *variants,
                     const char **ret_variant)
{
    size_t n = strlen(name);

    if (strncmp(text, name, n) != 0 || (text[n] != '\0' && text[n] != ':'))
        return 0;
    *ret_variant = text[n] == ':' ? NULL : variants ? variants[0] : "";
    for (int i = 0; text[n] == ':' && variants && variants[i]; i++)
        if (strcmp(variants[i], text + n + 1) == 0)
            *ret_variant = variants[i];
    return 1;
}

/* Append @name to the list @ret, which has the form "a, b, c". */
static void append_names(const char *name, char ret[LIST_SIZE])
{
    size_t at = strlen(ret);

    snprintf(ret + at, LIST_SIZE - at, "%s%s", at > 0 ? ", " : "", name);
}

static int refuse_variant(const char *what, const char *name, const char *const *variants,
                          struct lk_error *ret_error)
{
    char known[LIST_SIZE] = "";

    for (int i = 0; variants && variants[i]; i++)
        append_names(variants[i], known);
    lk_error_set(ret_error, "no %s '%.60s', expected %.*s%s%s", what, name, (int)strcspn(name, ":"),
                 name, *known ? ", or with a colon one of " : " alone", known);
    return LK_E_MODEL;
}

static int refuse_formulation(const char *name, struct lk_error *ret_error)
{
    char known[LIST_SIZE] = "ali3, rattle, rk4";
    const char *variant;

    for (int i = 0; lk_lab_equations[i]; i++) {
        const struct lk_equations *e = lk_lab_equations[i];

        if (is_called(name, e->name, e->variants, &variant))
            return refuse_variant("formulation", name, e->variants, ret_error);
        append_names(e->name, known);
    }
    lk_error_set(ret_error, "no formulation '%.60s', expected one of %s", name, known);
    return LK_E_MODEL;
}

static int find_formulation(const char *name, struct lk_lab_choice *ret, struct lk_error *ret_error)
{
    for (size_t i = 0; i < N_OWNS; i++)
        if (strcmp(owns[i].name, name) == 0) {
            ret->own = &owns[i];
            return 0;
        }
    for (int i = 0; lk_lab_equations[i]; i++)
        if (is_called(name, lk_lab_equations[i]->name, lk_lab_equations[i]->variants,
                      &ret->variant) &&
            ret->variant) {
            ret->equations = lk_lab_equations[i];
            return 0;
        }
    return refuse_formulation(name, ret_error);
}

static int refuse_integrator(const char *name, struct lk_error *ret_error)
{
    char known[LIST_SIZE] = "";
    const char *variant;

    /* Two integrators may share a name: one for y' = f, the other, with variants, for the
     * constrained equations. */
    for (int i = 0; lk_integrators[i]; i++) {
        const struct lk_integrator *g = lk_integrators[i];

        if (g->variants && is_called(name, g->name, g->variants, &variant))
            return refuse_variant("integrator", name, g->variants, ret_error);
        if (i == 0 || strcmp(lk_integrators[i - 1]->name, g->name) != 0)
            append_names(g->name, known);
    }
    lk_error_set(ret_error, "no integrator '%.60s', expected one of %s", name, known);
    return LK_E_MODEL;
}

static int find_integrator(const char *name, struct lk_lab_choice *ret, struct lk_error *ret_error)
{
    for (int i = 0; lk_integrators[i]; i++)
        if (is_called(name, lk_integrators[i]->name, lk_integrators[i]->variants,
                      &ret->integrator_variant) &&
            ret->integrator_variant) {
            ret->integrator = lk_integrators[i];
            return 0;
        }
    return refuse_integrator(name, ret_error);
}

/* Return the index of @text in the NULL-terminated @names. If @text is not in @names, return -1 and
 * write an error message that contains @list. */
static int find_word(const char *what, const char *text, const char *const *names, const char *list,
                     struct lk_error *ret_error)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    lk_error_set(ret_error, "no %s '%.40s', expected %s", what, text, list);
    return -1;
}

static int find_words(const struct lk_method *m, struct lk_lab_choice *ret,
                      struct lk_error *ret_error)
{
    static const char *const orientations[] = {"lie",   "parameters", "angles",
                                               "euler", "resal",      NULL};
    static const char *const stabilisations[] = {"none", "baumgarte", "projection", "position",
                                                 NULL};
    int orientation = *m->orientation
                          ? find_word("orientation", m->orientation, orientations,
                                      "lie, parameters, angles, euler or resal", ret_error)
                          : LK_ORIENTATION_LIE;
    int stabilisation;

    if (orientation < 0)
        return LK_E_MODEL;
    stabilisation = *m->stabilisation
                        ? find_word("stabilisation", m->stabilisation, stabilisations,
                                    "none, baumgarte, projection or position", ret_error)
                        : LK_STABILISATION_NONE;
    if (stabilisation < 0)
        return LK_E_MODEL;
    ret->orientation = (enum lk_orientation)orientation;
    ret->stabilisation = (enum lk_stabilisation)stabilisation;
    return 0;
}

/* ---- which choices fit together ---- */

static int check_own(const struct lk_method *m, const struct lk_lab_choice *c,
                     struct lk_error *ret_error)
{
    const char *name = c->own->name;

    if (*m->integrator)
        lk_error_set(ret_error,
                     "formulation %s is integrated by its own rule, expected no integrator with it "
                     "(it says %.40s)",
                     name, m->integrator);
    else if (m->tolerance > 0)
        lk_error_set(ret_error, "formulation %s makes fixed steps, expected no tolerance", name);
    else if (*m->orientation)
        lk_error_set(ret_error,
                     "formulation %s has its own orientations, expected none with it; "
                     "ali3:euler-parameters has parameters",
                     name);
    else if (*m->stabilisation)
        lk_error_set(ret_error,
                     "formulation %s projects onto the joints in every step, expected no "
                     "stabilisation with it",
                     name);
    else
        return 0;
    return LK_E_MODEL;
}

static const char *list_controlled(char ret[LIST_SIZE])
{
    for (int i = 0; lk_integrators[i]; i++)
        if (lk_integrators[i]->has_error_control &&
            (i == 0 || strcmp(lk_integrators[i - 1]->name, lk_integrators[i]->name) != 0))
            append_names(lk_integrators[i]->name, ret);
    return ret;
}

static int check_equations(const struct lk_method *m, const struct lk_lab_choice *c,
                           struct lk_error *ret_error)
{
    const char *name = c->equations->name;
    char known[LIST_SIZE] = "";

    if (c->by_itself && strcmp(name, "absolute") != 0)
        lk_error_set(ret_error,
                     "integrator %s takes the constrained equations in absolute coordinates, "
                     "expected formulation absolute with it instead of %s",
                     c->integrator->name, name);
    else if (m->tolerance > 0 && !c->integrator->has_error_control)
        lk_error_set(ret_error,
                     "integrator %s makes fixed steps, expected no tolerance; with error control: "
                     "%s",
                     c->integrator->name, list_controlled(known));
    else if (*m->orientation && is_fixed(c->equations))
        lk_error_set(ret_error,
                     "formulation %s has joint coordinates, expected no orientation with it", name);
    else if (c->stabilisation == LK_STABILISATION_POSITION &&
             (c->by_itself || strcmp(name, "complement") != 0))
        lk_error_set(ret_error,
                     "stabilisation position leaves velocities as they are, as formulation "
                     "complement may have it, expected projection with %s",
                     c->by_itself ? c->integrator->name : name);
    else
        return 0;
    return LK_E_MODEL;
}

/* Return the own step that the solver section of the model selects, for a method that names no
 * formulation.
 * Return: NULL if there is none. */
static const struct lk_lab_own *own_of(const struct lk_model *model)
{
    const struct lk_solver_def *s = &model->solver;
    const char *why, *name = lk_formulation_choose(model, NULL, &why);

    for (size_t i = 0; i < N_OWNS; i++)
        if (strcmp(owns[i].formulation, name) == 0 && owns[i].coordinates == s->coordinates &&
            owns[i].order == s->order)
            return &owns[i];
    return NULL;
}

static int choose_formulation(const struct lk_model *model, const struct lk_method *m,
                              struct lk_lab_choice *ret, struct lk_error *ret_error)
{
    if (*m->formulation)
        return find_formulation(m->formulation, ret, ret_error);
    if (*m->integrator || m->tolerance > 0 || *m->orientation || *m->stabilisation)
        return find_formulation("absolute", ret, ret_error);
    ret->own = own_of(model);
    return ret->own ? 0 : find_formulation(model->solver.formulation, ret, ret_error);
}

/* Refuse settings that the chosen method does not use, because they are probably mistakes. */
static int check_settings(const struct lk_method *m, const struct lk_lab_choice *c,
                          struct lk_error *ret_error)
{
    const struct lk_integrator *g = c->integrator;
    const char *name = c->own ? c->own->name : g->name;

    if (m->absolute_tolerance > 0 && !(m->tolerance > 0))
        lk_error_set(ret_error, "an absolute tolerance without a tolerance, expected both");
    else if (c->orientation == LK_ORIENTATION_RESAL && (c->own || !g->takes_resal))
        lk_error_set(
            ret_error,
            "orientation resal is for the constrained equations by radau, ida and bdf-1 to "
            "bdf-6, expected one of them");
    else if (m->spectral_radius > 0 && (c->own || !g->takes_radius))
        lk_error_set(ret_error, "%s has no spectral radius, generalized-alpha has", name);
    else if (m->kappa > 0 && (c->own || !g->takes_kappa))
        lk_error_set(ret_error, "%s has no kappa; radau, ida, cvode and arkode-dirk have", name);
    else if ((m->baumgarte[0] > 0 || m->baumgarte[1] > 0) &&
             (c->own || c->stabilisation != LK_STABILISATION_BAUMGARTE))
        lk_error_set(ret_error, "alpha and beta are Baumgarte's, expected stabilisation baumgarte "
                                "with them");
    else
        return 0;
    return LK_E_MODEL;
}

int lk_lab_choose(const struct lk_model *model, const struct lk_method *m,
                  struct lk_lab_choice *ret, struct lk_error *ret_error)
{
    struct lk_lab_choice c = {.variant = "", .integrator_variant = ""};
    const char *integrator = *m->integrator     ? m->integrator
                             : m->tolerance > 0 ? "dormand-prince"
                                                : "rk4";
    int r = choose_formulation(model, m, &c, ret_error);

    if (r == 0)
        r = find_words(m, &c, ret_error);
    if (r == 0 && (!c.own || *m->integrator))
        r = find_integrator(integrator, &c, ret_error);
    if (r == 0 && !c.own)
        c.by_itself = c.integrator->constrained;
    if (r == 0)
        r = c.own ? check_own(m, &c, ret_error) : check_equations(m, &c, ret_error);
    if (r == 0)
        r = check_settings(m, &c, ret_error);
    if (r == 0)
        *ret = c;
    return r;
}
