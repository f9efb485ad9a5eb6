/* SPDX-License-Identifier: Apache-2.0 */
/* linkage view: picture of a model at its start or at a later time, or a page of a recording. If
 * the assembly does not close, the picture shows the gaps. */
#include "view.h"
#include "commands.h"
#include "film.h"
#include "linkage/file.h"
#include "offline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MIN     64
#define SIDE_MAX     8192
#define PAGE_TIME    5      /* duration of the motion on a page [s] */
#define PAGE_KEPT    301    /* limit of the number of instants on a page */
#define PAGE_NUMBERS 400000 /* limit of the numbers in all poses of these instants */
#define OPEN         1e-6   /* smallest reported gap, in units of the mechanism's size, and rad */

/* struct view - options and state of the command.
 * @roads:            of a recording: folder of road files, NULL: its own folder
 * @from:             direction to the eye, if @has_from
 * @time:             time of the picture [s], given if @has_time
 * @kept:             number of instants of a page
 * @instant, @motion: times of @n_kept instants, and poses at these times */
struct view {
    const char *path;
    const char *roads;
    const char *png;
    const char *svg;
    const char *html;
    const char **sets;
    int n_sets;
    bool has_time;
    double time;
    double from[3];
    bool has_from;
    int kept;
    int n_kept;
    double *instant;
    double *motion;
    int width;
    int height;
    bool names;
    bool frames;
    bool boxes;
};

static int take_from(const struct option_row *row, const char *text)
{
    struct view *v = row->data;
    const char *rest = text;
    double length = 0;

    for (int k = 0; k < 3; k++) {
        if ((k > 0 && *rest++ != ',') || !take_value(&rest, &v->from[k]))
            return refuse_value(row, text, "X,Y,Z, the direction to the eye");
        length = fmax(length, fabs(v->from[k]));
    }
    if (*rest != '\0' || length == 0)
        return refuse_value(row, text, "X,Y,Z, not all 0");
    for (int k = 0; k < 3; k++)
        v->from[k] /= length;
    v->has_from = true;
    return EXIT_DONE;
}

static int take_size(const struct option_row *row, const char *text)
{
    struct view *v = row->data;
    int end = 0;

    if (sscanf(text, "%5dx%5d%n", &v->width, &v->height, &end) == 2 && text[end] == '\0' &&
        v->width >= SIDE_MIN && v->width <= SIDE_MAX && v->height >= SIDE_MIN &&
        v->height <= SIDE_MAX)
        return EXIT_DONE;
    return usage_error("size is '%s', expected WIDTHxHEIGHT, %d to %d pixels each", text, SIDE_MIN,
                       SIDE_MAX);
}

static int parse_options(int argc, char *argv[], struct view *v)
{
    const struct option_row rows[] = {
        {"png", 'p', .text = &v->png},
        {"svg", 's', .text = &v->svg},
        {"html", .text = &v->html},
        OUTPUT_FORCE_ROW,
        {"time", 't', .number = &v->time, .low = 0, .high = 1e9, .expected = "a number of seconds"},
        {"param", .take = take_param},
        {"set", .list = v->sets, .n = &v->n_sets},
        {"from", .take = take_from, .data = v},
        {"size", .take = take_size, .data = v},
        {"names", .flag = &v->names},
        {"frames", .flag = &v->frames},
        {"boxes", .flag = &v->boxes},
        {"roads", 'r', .text = &v->roads},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, "view takes one model", &v->path);

    if (code != EXIT_DONE)
        return code;
    if (v->png == NULL && v->svg == NULL && v->html == NULL)
        return usage_error("view needs a file for the picture, expected --png FILE, --svg FILE or "
                           "--html FILE");
    if (v->html != NULL && !offline_can_write(v->html))
        return EXIT_REFUSED;
    v->has_time = v->time >= 0;
    if (!v->has_time)
        v->time = v->html != NULL ? PAGE_TIME : 0;
    return code;
}

/* ---- the state ---- */

/* Allocate memory for the instants that a page shows. Return: false if there is no memory. */
static bool make_room(struct view *v, const struct lk_scene *scene)
{
    size_t n_values = (size_t)scene->n_bodies * LK_POSE_SIZE + 1;

    if (v->html == NULL)
        return true;
    v->kept = (int)fmax(2, fmin(PAGE_KEPT, (double)(PAGE_NUMBERS / n_values)));
    v->instant = calloc((size_t)v->kept, sizeof(*v->instant));
    v->motion = calloc((size_t)v->kept * n_values, sizeof(*v->motion));
    return v->instant != NULL && v->motion != NULL;
}

/* Store the state after @done of @n steps if another instant is due. */
static void keep(struct view *v, const struct lk_scene *scene, const struct lk_system *system,
                 uint64_t done, uint64_t n)
{
    size_t n_values = (size_t)scene->n_bodies * LK_POSE_SIZE;

    if (v->n_kept == v->kept || (double)done * (v->kept - 1) < (double)n * v->n_kept)
        return;
    v->instant[v->n_kept] = lk_system_time(system);
    lk_system_poses(system, v->motion + (size_t)v->n_kept++ * n_values);
}

/* Step to the requested time.
 * Return: EXIT_DONE; after an error message EXIT_USAGE if the model lacks the inputs, EXIT_REFUSED
 * if a step failed. */
static int advance(struct view *v, const struct lk_scene *scene, struct lk_system *system)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));
    double h = lk_system_step_size(system);
    bool is_asked_well = inputs != NULL && set_inputs(system, v->sets, v->n_sets, inputs);
    bool good = is_asked_well;
    struct progress progress;

    progress_start(&progress);
    if (v->kept > 0)
        keep(v, scene, system, 0, 1);
    for (uint64_t n = (uint64_t)llround(v->time / h), i = 0; good && i < n; i++) {
        good = lk_system_step(system, inputs) == 0;
        if (!good)
            complain("%s: step %llu, t = %g s, failed", v->path, (unsigned long long)i + 1,
                     lk_system_time(system));
        else if (v->kept > 0)
            keep(v, scene, system, i + 1, n);
        if (i % 1000 == 0)
            progress_show(&progress, now_s(), (double)i / (double)n);
    }
    progress_hide();
    free(inputs);
    return !is_asked_well ? EXIT_USAGE : good ? EXIT_DONE : EXIT_REFUSED;
}

/* Find the poses to draw: those of the system at the time or, if the model cannot be compiled,
 * those of the incomplete assembly.
 * Return: EXIT_DONE; after an error message EXIT_REFUSED (a picture is still useful) or
 * EXIT_USAGE. */
static int find_poses(struct view *v, const struct lk_model *model, const struct lk_scene *scene,
                      double *poses, double *ret_time)
{
    struct lk_system *system = compile_model(v->path, model, NULL);
    int result;

    *ret_time = 0;
    memcpy(poses, scene->drawn, (size_t)scene->n_bodies * LK_POSE_SIZE * sizeof(*poses));
    if (system == NULL) {
        result = lk_scene_assemble(model, poses, NULL);
        if (result != 0 && result != LK_E_ASSEMBLY)
            memcpy(poses, scene->drawn, (size_t)scene->n_bodies * LK_POSE_SIZE * sizeof(*poses));
        return EXIT_REFUSED;
    }
    result = advance(v, scene, system);
    lk_system_poses(system, poses);
    *ret_time = lk_system_time(system);
    lk_system_free(system);
    return result;
}

/* ---- text ---- */

static const double ink[4] = {0.15, 0.15, 0.15, 1}, red[4] = {0.85, 0.05, 0.05, 1};

/* Return the largest number of the form 1, 2 or 5 times a power of ten that is not larger than
 * @length. */
static double round_length(double length)
{
    double power = pow(10, floor(log10(length)));

    return length >= 5 * power ? 5 * power : length >= 2 * power ? 2 * power : power;
}

static void draw_caption(struct picture *p, const char *name, double time)
{
    static const char *const axes[] = {"x", "y", "z"};
    double length = round_length(0.2 * p->width / p->camera.scale), y = p->height - 26.0;
    double x1 = p->width - 16.0, x0 = x1 - length * p->camera.scale;
    char text[128];

    snprintf(text, sizeof(text), "%s, t = %.6g s", name, time);
    picture_note(p, 64, p->height - 8.0, text, ink);
    picture_stroke(p, x0, y, x1, y, 2, ink);
    snprintf(text, sizeof(text), "%g m", length);
    picture_note(p, x0, y - 6, text, ink);
    for (int k = 0; k < 3; k++) { /* the world's axes */
        const double color[4] = {k == 0 ? 0.85 : 0.1, k == 1 ? 0.6 : 0.1, k == 2 ? 0.9 : 0.1, 1};
        double x = 28 + 22 * p->camera.right[k], end = y - 22 * p->camera.up[k];

        picture_stroke(p, 28, y, x, end, 2, color);
        picture_note(p, x + 2, end, axes[k], color);
    }
}

static void draw_names(struct picture *p, const struct lk_scene *scene, const double *poses)
{
    for (int b = 0; b < scene->n_bodies; b++) {
        double at[2];

        camera_project(&p->camera, poses + (ptrdiff_t)LK_POSE_SIZE * b, at);
        picture_note(p, at[0] + 6, at[1] - 6, scene->name[b], ink);
    }
}

/* Mark an open joint in the picture, and print it to the standard output. */
static void draw_gap(struct picture *p, const struct lk_scene_joint *joint,
                     const struct lk_scene_gap *gap)
{
    double a[2], b[2];
    char text[128];

    camera_project(&p->camera, gap->place[0], a);
    camera_project(&p->camera, gap->place[1], b);
    picture_stroke(p, a[0], a[1], b[0], b[1], 2.5, red);
    for (int i = 0; i < 16; i++)
        picture_stroke(p, a[0] + 8 * cos(i * M_PI / 8), a[1] + 8 * sin(i * M_PI / 8),
                       a[0] + 8 * cos((i + 1) * M_PI / 8), a[1] + 8 * sin((i + 1) * M_PI / 8), 2,
                       red);
    snprintf(text, sizeof(text), "%s: %.3g m, %.3g rad", joint->name, gap->shift, gap->tilt);
    picture_note(p, a[0] + 11, a[1] - 6, text, red);
    printf("joint '%s' is open by %.3g m and %.3g rad, at x %.4g, y %.4g, z %.4g\n", joint->name,
           gap->shift, gap->tilt, gap->place[0][0], gap->place[0][1], gap->place[0][2]);
}

/* Mark all open joints.
 * Return: number of open joints. */
static int draw_gaps(struct picture *p, const struct lk_scene *scene, const double *poses)
{
    int n = 0;

    for (int i = 0; i < scene->n_joints; i++) {
        struct lk_scene_gap gap;

        lk_scene_gap(scene, i, poses, &gap);
        if (scene->joint[i].is_soft || (gap.shift <= OPEN * scene->size && gap.tilt <= OPEN))
            continue;
        draw_gap(p, &scene->joint[i], &gap);
        n++;
    }
    return n;
}

/* ---- files ---- */

/* Write a page with the stored instants or, if there are none, with the only state. */
static bool save_page(const struct view *v, const char *name, const struct lk_scene *scene,
                      const double *poses)
{
    static const double start = 0;
    const struct offline_motion still = {.time = &start, .poses = poses, .n = 1, .least = OPEN};
    const struct offline_motion moving = {
        .time = v->instant, .poses = v->motion, .n = v->n_kept, .least = OPEN};

    return offline_save(v->html, name, scene, v->n_kept == 0 ? &still : &moving);
}

static bool save_png(const char *path, const struct picture *p)
{
    const char *why = NULL;
    struct output *to = NULL;
    int fault = output_open(path, OUTPUT_MARK_PNG, &to);

    if (fault == 0) {
        why = write_png(p, output_file(to));
        fault = output_close(to, why == NULL);
    }
    if (fault == 0 && why != NULL)
        complain("%s: %s", path, why);
    return told_output(path, fault) == EXIT_DONE && why == NULL;
}

static bool save(const struct view *v, const struct picture *p)
{
    bool good = v->png == NULL || save_png(v->png, p);

    return (v->svg == NULL || save_svg(v->svg, p)) && good;
}

static int draw(struct view *v, const struct lk_model *model, const struct lk_scene *scene,
                double *poses)
{
    struct picture p = {
        .width = v->width, .height = v->height, .frames = v->frames, .boxes = v->boxes};
    double time;
    int code = find_poses(v, model, scene, poses, &time), n_open;

    if (code == EXIT_USAGE)
        return EXIT_REFUSED;
    camera_choose(&p.camera, scene, poses, v->has_from ? v->from : NULL);
    draw_scene(&p, scene, poses);
    picture_finish(&p);
    if (v->names)
        draw_names(&p, scene, poses);
    n_open = draw_gaps(&p, scene, poses);
    draw_caption(&p, lk_model_name(model), time);
    if (p.failed)
        complain("out of memory");
    if (p.failed || !save(v, &p) ||
        (v->html != NULL && !save_page(v, lk_model_name(model), scene, poses)))
        code = EXIT_REFUSED;
    else
        printf("%s%s%s%s%s: %s at t = %g s, %d bod%s, %d joint%s%s\n", v->png != NULL ? v->png : "",
               v->png != NULL && v->svg != NULL ? ", " : "", v->svg != NULL ? v->svg : "",
               v->html != NULL && (v->png != NULL || v->svg != NULL) ? ", " : "",
               v->html != NULL ? v->html : "", lk_model_name(model), time, scene->n_bodies,
               scene->n_bodies == 1 ? "y" : "ies", scene->n_joints, scene->n_joints == 1 ? "" : "s",
               n_open == 0 ? ", all closed" : "");
    free(p.mark);
    return code;
}

static int view_model(struct view *v)
{
    struct lk_model *model = load_model(v->path);
    struct lk_scene *scene = NULL;
    double *poses = NULL;
    int code = EXIT_REFUSED;

    if (model == NULL)
        return code;
    if (lk_scene_new(model, &scene) == 0)
        poses = calloc((size_t)scene->n_bodies, LK_POSE_SIZE * sizeof(*poses));
    if (poses == NULL || !make_room(v, scene))
        complain("out of memory");
    else
        code = draw(v, model, scene, poses);
    free(poses);
    free(v->instant);
    free(v->motion);
    lk_scene_free(scene);
    lk_model_free(model);
    return code;
}

/* Write the page of a recording. It has its own inputs, so that the options of models do not apply.
 */
static int view_recording(const struct view *v)
{
    const struct lk_setting *values;

    if (v->html == NULL || v->png != NULL || v->svg != NULL || v->has_time || v->n_sets > 0 ||
        given_params(&values) > 0)
        return usage_error(
            "view: %s is a recording, expected --html FILE alone: a page that plays it", v->path);
    return film_view(v->path, v->roads, v->html);
}

int command_view(int argc, char *argv[])
{
    struct view v = {.time = -1, .width = 960, .height = 640};
    int code;

    v.sets = calloc((size_t)argc, sizeof(*v.sets));
    if (v.sets == NULL) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    code = parse_options(argc, argv, &v);
    if (code == EXIT_DONE)
        code = film_is_recording(v.path) ? view_recording(&v) : view_model(&v);
    free(v.sets);
    return code;
}
