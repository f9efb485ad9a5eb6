/* SPDX-License-Identifier: Apache-2.0 */
/* linkage replay: repeats the steps of a recording with the recorded model and inputs, and compares
 * every output bit for bit. The steps of the motion platform are repeated as well, with its
 * recorded sensor, orders and gains. */
#include "commands.h"
#include "linkage/build.h"
#include "linkage/errors.h"
#include "linkage/pool.h"
#include "mcap/schema.h"
#include "platform.h"
#include "pool_threads.h"
#include "recorded.h"
#include "replayed.h"
#include "scene_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct options - the command line.
 * @scene: file to write with pictures of the motion, NULL: none
 * @rate:  pictures per second
 * @watch: receiver of the motion, NULL: none
 * @roads: folder of road files, NULL: folder of the recording
 * @limit: number of steps, 0: all */
struct options {
    const char *path;
    const char *scene;
    double rate;
    const struct replay_watch *watch;
    const char *model;
    const char *roads;
    long workers;
    uint64_t limit;
};

/* struct replay - state of a replay.
 * @inputs, @outputs: layout of their messages
 * @acting, @recorded, @computed: input values, recorded outputs and computed outputs
 * @cycle:            the last one of @n_cycles cycles
 * @has_inputs:       the inputs of this cycle were recorded
 * @steps:            number of compared steps
 * @n_still:          number of cycles without a step
 * @engine:           engine of the recording, "" if unknown
 * @platform:         replay of the motion platform
 * @scene:            written scene, if @has_scene
 * @watch:            receiver of the motion, or NULL
 * @n_differ:         number of steps that differ; with @scene or @watch these do not end the replay
 * @verdict:          EXIT_DONE unless a comparison fails
 * @over:             no further comparison is possible */
struct replay {
    struct recorded file;
    struct lk_system *system;
    char engine[32];
    struct platform_replay platform;
    struct scene_file scene;
    bool has_scene;
    const struct replay_watch *watch;
    uint64_t n_differ;
    struct lk_mcap_type inputs;
    struct lk_mcap_type outputs;
    double *acting;
    double *recorded;
    double *computed;
    struct lk_recording_cycle cycle;
    uint64_t n_cycles;
    bool has_inputs;
    uint64_t steps;
    uint64_t n_still;
    int verdict;
    bool over;
};

static int parse_options(int argc, char *argv[], struct options *options)
{
    const struct option_row rows[] = {
        {"model", 'm', .text = &options->model},
        {"roads", 'r', .text = &options->roads},
        {"workers", 'w', .whole = &options->workers, .low = 1, .high = LK_POOL_MAX},
        {"limit", 'l', .count = &options->limit, .low = 1, .high = 1e15,
         .expected = "a number of steps"},
        {"help", 'h', .end = print_help},
        {NULL},
    };

    return parse_command(argc, argv, rows, "replay takes one recording", &options->path);
}

/* ---- the model ---- */

/* Return the folder of the file at @path, on the heap. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path));
}

/* Apply the external values of the recording to the model that is read next. */
static bool take_values(const struct recorded *file)
{
    char *values = calloc(LK_RECORDING_VALUES_MAX, 1);
    struct lk_error error = {""};
    bool is_good = false;

    if (values == NULL) {
        complain("out of memory");
        return false;
    }
    recorded_fact(file, LK_RECORDING_VALUES, values, LK_RECORDING_VALUES_MAX);
    is_good = give_params(values, &error);
    if (!is_good)
        complain("%s: %s", file->path, error.text);
    free(values);
    return is_good;
}

/* Read the model that is attached to the recording.
 * @roads: see struct options */
static struct lk_model *attached_model(const struct recorded *file, const char *roads)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;
    char *own = NULL;
    const struct lk_setting *values;
    int result, n = given_params(&values);

    if (file->model.data == NULL) {
        complain("%s: no model is attached, expected --model MODEL", file->path);
        return NULL;
    }
    if (roads == NULL)
        roads = own = folder_of(file->path);
    result = lk_model_read_text_with(roads, LK_RECORDING_MODEL, (const char *)file->model.data,
                                     file->model.size, values, n, &model, &errors);
    free(own);
    if (result == 0)
        return model;
    file_error("%s: %s", file->path, result > 0 ? errors.line[0].text : strerror(-result));
    return NULL;
}

/* Check that the files that the model names are the same as those of the recording. */
static bool same_roads(const struct recorded *file, const struct lk_model *model)
{
    char recorded[16], now[16] = "";
    uint32_t crc;

    recorded_fact(file, LK_RECORDING_ROADS, recorded, sizeof(recorded));
    if (lk_model_files(model, &crc) > 0)
        snprintf(now, sizeof(now), "%08" PRIx32, crc);
    if (strcmp(recorded, now) == 0)
        return true;
    complain("%s: the files of its roads have the checksum %s, those of the model here %s: other "
             "roads, expected the same ones; --roads FOLDER says where they are",
             file->path, recorded[0] != '\0' ? recorded : "none", now[0] != '\0' ? now : "none");
    return false;
}

static bool make_types(struct replay *r, const char *name)
{
    const struct lk_channel *inputs, *outputs;
    int n_inputs, n_outputs;

    inputs = lk_system_input_channels(r->system, &n_inputs);
    outputs = lk_system_output_channels(r->system, &n_outputs);
    r->acting = calloc((size_t)lk_system_input_size(r->system) + 1, sizeof(double));
    r->recorded = calloc((size_t)lk_system_output_size(r->system) + 1, sizeof(double));
    r->computed = calloc((size_t)lk_system_output_size(r->system) + 1, sizeof(double));
    if (r->acting != NULL && r->recorded != NULL && r->computed != NULL &&
        lk_mcap_type_init(&r->inputs, name, "Inputs", inputs, n_inputs) == 0 &&
        lk_mcap_type_init(&r->outputs, name, "Outputs", outputs, n_outputs) == 0)
        return true;
    complain("out of memory");
    return false;
}

static bool same_schema(const struct replay *r, const char *topic, const struct lk_mcap_type *type)
{
    struct recorded_topic *t = recorded_topic((struct recorded *)(uintptr_t)&r->file, topic);

    if (t == NULL) {
        complain("%s: there is no topic /%s: this is no recording of linkaged", r->file.path,
                 topic);
        return false;
    }
    if (t->schema.size == type->descriptor.size &&
        memcmp(t->schema.data, type->descriptor.data, t->schema.size) == 0)
        return true;
    complain("%s: the %s of the recording are not those of the model: another model, or another "
             "version of it",
             r->file.path, topic);
    return false;
}

/* Compile the model with the engine of the recording, if this processor supports it and the
 * environment names no other engine. */
static struct lk_system *compile_alike(const struct replay *r, const char *path,
                                       const struct lk_model *model)
{
    struct lk_options options = {.engine = r->engine};
    struct lk_system *system = NULL;

    if (engine_wanted() != NULL || r->engine[0] == '\0')
        return compile_model(path, model, NULL);
    if (strcmp(r->engine, "one by one") == 0)
        options.engine = "none";
    if (lk_system_new(model, &options, &system, NULL) == 0)
        return system;
    return compile_model(path, model, NULL);
}

/* Report other conditions on which the last bits depend: build, libm and engine. */
static void say_other_build(const struct replay *r)
{
    const char *engine = lk_system_engine(r->system);
    char build[32], libm[32];

    recorded_fact(&r->file, "build", build, sizeof(build));
    recorded_fact(&r->file, "libm", libm, sizeof(libm));
    if (build[0] == '\0' || (strcmp(build, lk_build_id()) == 0 &&
                             strcmp(libm, lk_build_libm()) == 0 && strcmp(r->engine, engine) == 0))
        return;
    printf("recorded by build %s (%s) with engine %s, this is build %s (%s) with engine %s: last "
           "bits may differ\n",
           build, libm, r->engine, lk_build_id(), lk_build_libm(), engine);
}

static bool prepare_replay(struct replay *r, const struct options *options)
{
    struct lk_model *model;
    bool fits;

    if (!take_values(&r->file))
        return false;
    model = options->model != NULL ? load_model(options->model)
                                   : attached_model(&r->file, options->roads);
    if (model == NULL)
        return false;
    if (options->model == NULL && !same_roads(&r->file, model)) {
        lk_model_free(model);
        return false;
    }
    recorded_fact(&r->file, "engine", r->engine, sizeof(r->engine));
    r->system = compile_alike(r, options->model != NULL ? options->model : options->path, model);
    if (r->system != NULL)
        say_other_build(r);
    fits = r->system != NULL && make_types(r, lk_model_name(model)) &&
           same_schema(r, "inputs", &r->inputs) && same_schema(r, "outputs", &r->outputs) &&
           platform_prepare(&r->platform, &r->file);
    if (fits && options->scene != NULL) {
        r->has_scene = true;
        fits = scene_file_open(&r->scene, options->scene, options->rate, model, &r->file);
    }
    if (fits && options->watch != NULL) {
        r->watch = options->watch;
        fits = r->watch->begin(r->watch->context, model, r->system);
    }
    lk_model_free(model);
    return fits;
}

/* ---- comparing ---- */

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void print_value(const char *whose, double value)
{
    printf("  %s  %.17g  0x%016" PRIx64 "\n", whose, value, bits_of(value));
}

static void say_difference(const struct replay *r, size_t index)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(r->system, &n);

    progress_hide();
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];
        size_t k = index - (size_t)c->offset;

        if (index < (size_t)c->offset || k >= (size_t)c->size)
            continue;
        printf("step %" PRIu64 " differs: %s%s%s [%s]\n", r->cycle.step, c->name,
               c->size > 1 ? "." : "", c->component[k], c->unit[k]);
    }
    print_value("recorded", r->recorded[index]);
    print_value("computed", r->computed[index]);
}

static void give_up(struct replay *r)
{
    r->verdict = EXIT_REFUSED;
    r->over = true;
}

static bool is_shown(const struct replay *r)
{
    return r->has_scene || r->watch != NULL;
}

static void compare_step(struct replay *r)
{
    int result = lk_system_step(r->system, r->acting);
    size_t n = r->outputs.n_values;

    if (result != 0) {
        progress_hide();
        printf("step %" PRIu64 " fails here, and did not in the recording\n", r->cycle.step);
        give_up(r);
        return;
    }
    lk_system_outputs(r->system, r->computed);
    for (size_t i = 0; i < n; i++) {
        if (bits_of(r->recorded[i]) == bits_of(r->computed[i]))
            continue;
        if (r->n_differ++ == 0)
            say_difference(r, i);
        if (is_shown(r))
            break;
        give_up(r);
        return;
    }
    r->steps++;
}

/* ---- messages ---- */

/* Return true if the cycle follows the previous one without a gap. */
static bool follows(struct replay *r, const struct lk_recording_cycle *next)
{
    uint64_t before = next->step - (next->stepped ? 1 : 0);

    if (r->n_cycles == 0 && before != 0) {
        printf("the recording begins at step %" PRIu64 ": a replay needs the start of the run\n",
               before);
        return false;
    }
    if (r->n_cycles > 0 && next->cycle != r->cycle.cycle + 1) {
        progress_hide();
        printf("gap: %" PRIu64 " cycles after cycle %" PRIu64 " (step %" PRIu64
               ") are missing, what follows cannot be compared\n",
               next->cycle - r->cycle.cycle - 1, r->cycle.cycle, r->cycle.step);
        return false;
    }
    if (before != r->steps) {
        progress_hide();
        printf("cycle %" PRIu64 " says step %" PRIu64 ", expected %" PRIu64 "\n", next->cycle,
               before, r->steps);
        return false;
    }
    return true;
}

static void take_cycle(struct replay *r, const struct lk_mcap_item *item)
{
    struct lk_recording_cycle next;

    if (!lk_recording_cycle_take(item->data.data, item->data.size, &next)) {
        progress_hide();
        printf("a message of /cycle is not as this version writes it\n");
        give_up(r);
    } else if (!follows(r, &next)) {
        give_up(r);
    } else {
        r->cycle = next;
        r->n_cycles++;
        r->n_still += next.stepped ? 0 : 1;
        r->has_inputs = false;
    }
}

static void take_message(struct replay *r, const char *topic, const struct lk_mcap_item *item)
{
    bool own = r->n_cycles > 0 && item->sequence == (uint32_t)r->cycle.cycle && r->cycle.stepped;

    if (strcmp(topic, "/cycle") == 0) {
        take_cycle(r, item);
    } else if (strcmp(topic, "/inputs") == 0) {
        r->has_inputs =
            own && lk_mcap_type_take(&r->inputs, item->data.data, item->data.size, r->acting);
    } else if (strcmp(topic, "/outputs") == 0) {
        if (own && r->has_inputs &&
            lk_mcap_type_take(&r->outputs, item->data.data, item->data.size, r->recorded)) {
            compare_step(r);
            if (r->has_scene && !r->over)
                scene_file_step(&r->scene, r->system, item);
            if (r->watch != NULL && !r->over)
                r->watch->step(r->watch->context, r->system);
            r->has_inputs = false;
        } else {
            progress_hide();
            printf("cycle %" PRIu64 " is not complete\n", r->cycle.cycle);
            give_up(r);
        }
    } else {
        platform_take(&r->platform, topic, item);
    }
}

/* Return how much of the file, or of the steps asked for, has been replayed. */
static double part_done(const struct replay *r, uint64_t limit)
{
    double of_file = (double)r->file.reader.offset / (double)r->file.reader.size;

    return limit > 0 ? fmax(of_file, (double)r->steps / (double)limit) : of_file;
}

static void read_all(struct replay *r, uint64_t limit)
{
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    struct progress progress;
    int result = 1;

    progress_start(&progress);
    while (!r->over && (limit == 0 || r->steps < limit) &&
           (result = recorded_next(&r->file, &item, &topic)) == 1)
        if (topic != NULL) {
            if (r->has_scene)
                scene_file_copy(&r->scene, &item, topic->name);
            take_message(r, topic->name, &item);
            progress_show(&progress, now_s(), part_done(r, limit));
        }
    progress_hide();
    if (result < 0)
        r->verdict = EXIT_REFUSED;
}

static void say_rest(struct replay *r)
{
    if (r->n_still > 0)
        printf("%" PRIu64 " cycles made no step (paused, or after a fault)\n", r->n_still);
    if (r->cycle.skipped > 0)
        printf("%" PRIu64 " grid points were skipped: no steps, nothing to compare\n",
               r->cycle.skipped);
    if (r->cycle.fault != 0)
        printf("the run ended in a fault after step %" PRIu64 "\n", r->cycle.step);
    recorded_say_end(&r->file);
    if (r->file.reader.n_damaged > 0)
        r->verdict = EXIT_REFUSED;
    if (r->steps == 0 && r->verdict == EXIT_DONE) {
        printf("%s holds no steps\n", r->file.path);
        r->verdict = EXIT_REFUSED;
    } else if (r->n_differ > 0 && is_shown(r)) {
        printf("%" PRIu64 " of %" PRIu64 " steps differ: the pictures show the motion as computed "
               "here\n",
               r->n_differ, r->steps);
    } else if (r->verdict == EXIT_DONE) {
        printf("%" PRIu64 " steps, every bit the same\n", r->steps);
    } else {
        printf("%" PRIu64 " steps before were the same\n", r->steps);
    }
}

static int replay_file(struct replay *r, const struct options *options)
{
    struct pool_threads *threads = NULL;
    int fault;

    if (!prepare_replay(r, options))
        return EXIT_REFUSED;
    if (options->workers > 1) {
        fault = pool_threads_start((int)options->workers, NULL, &threads);
        if (fault != 0) {
            complain("%ld workers: %s", options->workers, strerror(-fault));
            return EXIT_REFUSED;
        }
        lk_system_set_pool(r->system, pool_threads_pool(threads));
    }
    read_all(r, options->limit);
    say_rest(r);
    platform_say(&r->platform);
    if (r->platform.differs)
        r->verdict = EXIT_REFUSED;
    lk_system_set_pool(r->system, NULL);
    pool_threads_stop(threads);
    return r->verdict;
}

static int replay(const struct options *options)
{
    struct replay r = {.verdict = EXIT_DONE};
    int code;

    if (!recorded_open(options->path, &r.file))
        return EXIT_REFUSED;
    code = replay_file(&r, options);
    if (r.has_scene && !scene_file_close(&r.scene, &r.file))
        code = EXIT_REFUSED;
    else if (r.has_scene && r.scene.n > 0)
        printf("%s: %" PRIu64 " pictures\n", options->scene, r.scene.n);
    lk_system_free(r.system);
    lk_mcap_type_fini(&r.inputs);
    lk_mcap_type_fini(&r.outputs);
    platform_fini(&r.platform);
    free(r.acting);
    free(r.recorded);
    free(r.computed);
    recorded_close(&r.file);
    return code;
}

int replay_scene(const char *path, const char *roads, const char *scene, double rate)
{
    const struct options options = {
        .path = path, .roads = roads, .scene = scene, .rate = rate, .workers = 1};

    return replay(&options);
}

int replay_motion(const char *path, const char *roads, const struct replay_watch *watch)
{
    const struct options options = {.path = path, .roads = roads, .watch = watch, .workers = 1};

    return replay(&options);
}

int command_replay(int argc, char *argv[])
{
    struct options options = {.workers = 1};
    int code = parse_options(argc, argv, &options);

    return code == EXIT_DONE ? replay(&options) : code;
}
