/* SPDX-License-Identifier: Apache-2.0 */
/* A recording once more, with the motion of all bodies and its events in it as viewers show
 * them: what linkage export --scene writes. These functions print the error messages. */
#ifndef TOOLS_LINKAGE_SCENE_FILE_H
#define TOOLS_LINKAGE_SCENE_FILE_H

#include "foxglove/foxglove.h"
#include "mcap/summary.h"
#include "recorded.h"

/** struct scene_file - @fd: -1: none;  @memory: @size bytes, of the chunk;  @view: of cameras;
 * @period_ns: from one picture to the next;  @next_ns: of the next one;  @n: pictures;  @failed: an
 * error was told */
struct scene_file {
    const char *path;
    int fd;
    struct lk_scene *scene;
    double *poses;
    struct lk_foxglove_view view;
    struct lk_mcap_chunk chunk;
    struct lk_mcap_summary summary;
    unsigned char *memory;
    size_t size;
    uint64_t period_ns;
    uint64_t next_ns;
    uint64_t n;
    bool failed;
};

/** scene_file_open() - a new file with the topics, the model and the facts of @from. @rate:
 * pictures a second. Return: false after an error message. */
bool scene_file_open(struct scene_file *f, const char *path, double rate,
                     const struct lk_model *model, struct recorded *from);
/** scene_file_copy() - a message of the recording; of its events also one of /log. */
void scene_file_copy(struct scene_file *f, const struct lk_mcap_item *item, const char *topic);
/** scene_file_step() - the state after a step, if it is time for a picture. @item: of the outputs
 */
void scene_file_step(struct scene_file *f, const struct lk_system *system,
                     const struct lk_mcap_item *item);
/** scene_file_close() - the end. Return: whether all was written. */
bool scene_file_close(struct scene_file *f, const struct recorded *from);

/** replay_scene() - the recording at @path, stepped again, as such a file; in replay.c. @roads:
 * folder of the files of its roads, NULL: its own. Return: enum exit_code. */
int replay_scene(const char *path, const char *roads, const char *scene, double rate);

#endif
