/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of small motions: frequency responses C (i w - A)^-1 B + D, and eigenvalues over a
 * parameter. */
#include "commands.h"
#include "linkage/modes.h"
#include "plot.h"

#include <complex.h>
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS   400 /* frequencies of a response */
#define BEYOND   3   /* least factor below the slowest and above the fastest mode that swings */
#define STEPS    60  /* values of a parameter */
#define MOST     2000
#define RATE_MIN 1e-4 /* smaller rates are round-off of a mode without stiffness, relative */

/* Compile a model and linearise it. Return: NULL after an error message. */
static struct lk_system *linearise(const char *path, const struct lk_setting *settings, int n,
                                   bool pose, struct lk_linear *ret)
{
    const struct lk_options how = {.all_rows = 1, .equilibrium = !pose};
    struct lk_model *model = load_model_with(path, settings, n);
    struct lk_system *system = NULL;
    struct lk_error error = {""};
    int r;

    if (model == NULL)
        return NULL;
    system = compile_model(path, model, &how);
    lk_model_free(model);
    if (system == NULL)
        return NULL;
    r = lk_linear_init(system, false, ret, &error);
    if (r == 0)
        return system;
    complain("%s: %s", path, error.text[0] ? error.text : strerror(-r));
    lk_system_free(system);
    return NULL;
}

/* ---- frequency responses ---- */

/* Find the scalar "CHANNEL" or "CHANNEL.COMPONENT". Return: its index, -1 after an error message.
 */
static int find_scalar(const struct lk_channel *channel, int n, const char *kind, const char *word,
                       size_t size, char *ret_unit, size_t unit_size)
{
    char name[2 * LK_NAME_SIZE];

    for (int c = 0; c < n; c++)
        for (int k = 0; k < channel[c].size; k++) {
            const char *part = channel[c].component[k];

            snprintf(name, sizeof(name), "%s%s%s", channel[c].name, *part ? "." : "", part);
            if (strlen(name) != size || strncmp(name, word, size) != 0)
                continue;
            snprintf(ret_unit, unit_size, "%s", channel[c].unit[k]);
            return channel[c].offset + k;
        }
    fprintf(stderr, "linkage: no %s '%.*s', expected", kind, (int)size, word);
    for (int c = 0, first = 1; c < n; c++)
        for (int k = 0; k < channel[c].size; k++, first = 0)
            fprintf(stderr, "%s %s%s%s", first ? "" : ",", channel[c].name,
                    *channel[c].component[k] ? "." : "", channel[c].component[k]);
    fputc('\n', stderr);
    return -1;
}

/* Find the range of frequencies [Hz]. */
static void find_range(const struct lk_linear *l, double *low, double *high)
{
    struct lk_mode *modes = NULL;
    int n = lk_modes_find(l, &modes);
    double fastest = n > 0 ? modes[n - 1].frequency : 0;

    *low = INFINITY;
    *high = 0;
    for (int i = 0; i < n; i++) {
        if (modes[i].frequency <= RATE_MIN * fastest || !(modes[i].im > 0))
            continue;
        *low = fmin(*low, modes[i].frequency);
        *high = fmax(*high, modes[i].frequency);
    }
    if (n >= 0)
        lk_modes_free(modes, n);
    if (!(*high > 0))
        *low = *high = 1;
    *low = pow(10, floor(log10(*low / BEYOND)));
    *high = pow(10, ceil(log10(*high * BEYOND)));
}

/* Return the response at @w [rad/s]. @work: n (n + 1) values;  @pivot: n */
static double complex respond(const struct lk_linear *l, int input, int output, double w,
                              lapack_complex_double *work, int *pivot)
{
    size_t n = (size_t)l->n_states;
    lapack_complex_double *b = work + n * n;
    double complex sum = l->D[(size_t)output * (size_t)l->n_inputs + (size_t)input];

    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++)
            work[r * n + c] = (r == c ? I * w : 0) - l->A[r * n + c];
        b[r] = l->B[r * (size_t)l->n_inputs + (size_t)input];
    }
    if (n > 0 && LAPACKE_zgesv(LAPACK_ROW_MAJOR, (int)n, 1, work, (int)n, pivot, b, 1) != 0)
        return NAN;
    for (size_t c = 0; c < n; c++)
        sum += l->C[(size_t)output * n + c] * b[c];
    return sum;
}

static bool add_response(const struct lk_linear *l, int input, int output, const char *title,
                         struct plot_panel *gain, struct plot_panel *phase)
{
    size_t n = (size_t)l->n_states;
    lapack_complex_double *work = malloc((n * (n + 1) + 1) * sizeof(*work));
    int *pivot = calloc(n + 1, sizeof(int));
    struct plot_curve *g = plot_add_curve(gain, title, POINTS);
    struct plot_curve *p = plot_add_curve(phase, title, POINTS);
    double low, high, before = 0;
    bool follows = false;

    if (work == NULL || pivot == NULL || g == NULL || p == NULL) {
        free(work);
        free(pivot);
        return false;
    }
    find_range(l, &low, &high);
    for (int i = 0; i < POINTS; i++) {
        double hz = low * pow(high / low, i / (POINTS - 1.0)), angle;
        double complex h = respond(l, input, output, 2 * M_PI * hz, work, pivot);

        angle = carg(h) * 180 / M_PI;
        angle -= i > 0 && isfinite(angle) ? 360 * round((angle - before) / 360) : 0;
        before = isfinite(angle) ? angle : before;
        g->x[i] = p->x[i] = hz;
        g->y[i] = cabs(h) > 0 ? 20 * log10(cabs(h)) : NAN;
        p->y[i] = cabs(h) > 0 ? angle : NAN;
        follows |= isfinite(g->y[i]);
    }
    free(work);
    free(pivot);
    if (!follows)
        complain("%s: the output does not follow the input in small motions, the gain is 0; "
                 "expected another output",
                 title);
    return follows;
}

/* Return whether the input moves anything: drives do not, in small motions. */
static bool has_effect(const struct lk_linear *l, int input)
{
    for (int i = 0; i < l->n_states; i++)
        if (l->B[(size_t)i * (size_t)l->n_inputs + (size_t)input] != 0)
            return true;
    for (int i = 0; i < l->n_outputs; i++)
        if (l->D[(size_t)i * (size_t)l->n_inputs + (size_t)input] != 0)
            return true;
    return false;
}

static bool add_pair(const struct lk_system *system, const struct lk_linear *l, const char *pair,
                     struct plot_page *page)
{
    const char *colon = strchr(pair, ':');
    char title[PLOT_TITLE_SIZE], unit[2][64];
    int n, input, output;
    const struct lk_channel *channel = lk_system_input_channels(system, &n);

    if (colon == NULL) {
        complain("--bode %s: expected INPUT:OUTPUT", pair);
        return false;
    }
    input =
        find_scalar(channel, n, "input", pair, (size_t)(colon - pair), unit[0], sizeof(unit[0]));
    channel = lk_system_output_channels(system, &n);
    output =
        find_scalar(channel, n, "output", colon + 1, strlen(colon + 1), unit[1], sizeof(unit[1]));
    if (input < 0 || output < 0)
        return false;
    if (!has_effect(l, input)) {
        complain("--bode %s: the input has no effect on small motions, where drives do not move; "
                 "expected an input that is a force or a signal",
                 pair);
        return false;
    }
    snprintf(title, sizeof(title), "%.50s / %.*s [%.20s/(%.20s)]", colon + 1,
             (int)(colon - pair < 50 ? colon - pair : 50), pair, unit[1], unit[0]);
    return add_response(l, input, output, title, &page->panel[0], &page->panel[1]);
}

bool plot_bode(const char *path, bool pose, const char *const *pairs, int n, struct plot_page *page)
{
    const struct lk_setting *settings;
    int n_settings = given_params(&settings);
    struct lk_linear l;
    struct lk_system *system = linearise(path, settings, n_settings, pose, &l);
    bool good = system != NULL;

    if (!good)
        return false;
    plot_add_panel(page, "", "gain [dB]")->is_log_x = true;
    plot_add_panel(page, "frequency [Hz]", "phase [degrees]")->is_log_x = true;
    for (int i = 0; i < n && good; i++)
        good = add_pair(system, &l, pairs[i], page);
    lk_linear_fini(&l);
    lk_system_free(system);
    return good;
}

/* ---- root locus ---- */

/* struct range - values of a parameter. */
struct range {
    char path[LK_PATH_SIZE];
    double from;
    double to;
    int steps;
};

static bool parse_range(const char *text, struct range *ret)
{
    const char *equals = strchr(text, '=');
    char rest;
    int n = 0;

    ret->steps = STEPS;
    if (equals != NULL && equals > text && equals - text < LK_PATH_SIZE) {
        snprintf(ret->path, sizeof(ret->path), "%.*s", (int)(equals - text), text);
        n = sscanf(equals + 1, "%lf:%lf:%d%c", &ret->from, &ret->to, &ret->steps, &rest);
    }
    if ((n == 2 || n == 3) && isfinite(ret->from) && isfinite(ret->to) && ret->from != ret->to &&
        ret->steps >= 2 && ret->steps <= MOST)
        return true;
    complain("--locus %s: expected PATH=FROM:TO or PATH=FROM:TO:VALUES, 2 to %d values", text,
             MOST);
    return false;
}

/* Append the eigenvalues at one value of the parameter, with their conjugates. */
static bool add_values(const struct lk_linear *l, double value, const char *name,
                       struct plot_curve *c)
{
    struct lk_mode *modes = NULL;
    int n = lk_modes_find(l, &modes);
    size_t end = c->n + 2 * (size_t)(n > 0 ? n : 0) + 1;
    double *x = realloc(c->x, end * sizeof(double)), *y, *shade;

    c->x = x != NULL ? x : c->x;
    y = realloc(c->y, end * sizeof(double));
    c->y = y != NULL ? y : c->y;
    shade = realloc(c->shade, end * sizeof(double));
    c->shade = shade != NULL ? shade : c->shade;
    if (n < 0 || x == NULL || y == NULL || shade == NULL) {
        complain("%s=%g: no eigenvalues were found", name, value);
        return false;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++, c->n++) {
            x[c->n] = modes[i].re;
            y[c->n] = k == 0 ? modes[i].im : -modes[i].im;
            shade[c->n] = value;
        }
    lk_modes_free(modes, n);
    return true;
}

static bool add_step(const char *path, bool pose, const struct range *r, int i,
                     struct plot_curve *curve)
{
    struct lk_setting settings[LK_SETTINGS_MAX];
    const struct lk_setting *given;
    int n = given_params(&given);
    struct lk_system *system;
    struct lk_linear l;
    bool good;

    if (n == LK_SETTINGS_MAX) {
        complain("too many --param");
        return false;
    }
    for (int k = 0; k < n; k++)
        settings[k] = given[k];
    settings[n] = (struct lk_setting){r->path, r->from + (r->to - r->from) * i / (r->steps - 1.0)};
    system = linearise(path, settings, n + 1, pose, &l);
    if (system == NULL) {
        complain("%s=%g: no eigenvalues there", r->path, settings[n].value);
        return false;
    }
    good = add_values(&l, settings[n].value, r->path, curve);
    lk_linear_fini(&l);
    lk_system_free(system);
    return good;
}

bool plot_locus(const char *path, bool pose, const char *text, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, "real part [1/s]", "imaginary part [1/s]");
    struct plot_curve *curve;
    struct range r;
    bool good = parse_range(text, &r);

    panel->is_plane = true;
    if (!good)
        return false;
    curve = plot_add_curve(panel, r.path, 0);
    for (int i = 0; i < r.steps && good; i++)
        good = curve != NULL && add_step(path, pose, &r, i, curve);
    return good;
}
