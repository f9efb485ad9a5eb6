/* SPDX-License-Identifier: Apache-2.0 */
/* Copy of a recording with the motion of all bodies and the events in the formats of viewers,
 * written by linkage export --scene. These functions print the error messages. */
#ifndef TOOLS_LINKAGE_SCENE_FILE_H
#define TOOLS_LINKAGE_SCENE_FILE_H

#include "foxglove/foxglove.h"
#include "mcap/summary.h"
#include "recorded.h"

/** struct scene_file - the copy while it is written.
 * @fd:        -1: none
 * @memory:    memory of the chunk, @size bytes
 * @view:      frame for cameras
 * @period_ns: time between pictures
 * @next_ns:   time of the next picture
 * @n:         number of pictures
 * @failed:    an error was reported */
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

/** scene_file_open() - Create a file with the topics, the model and the metadata of @from.
 * @rate: pictures per second
 * Return: false after an error message. */
bool scene_file_open(struct scene_file *f, const char *path, double rate,
                     const struct lk_model *model, struct recorded *from);
/** scene_file_copy() - Copy a message of the recording; for an event also add a message of /log. */
void scene_file_copy(struct scene_file *f, const struct lk_mcap_item *item, const char *topic);
/** scene_file_step() - Write the state after a step if a picture is due.
 * @item: message of the outputs */
void scene_file_step(struct scene_file *f, const struct lk_system *system,
                     const struct lk_mcap_item *item);
/** scene_file_close() - Finish the file. Return: true if all was written. */
bool scene_file_close(struct scene_file *f, const struct recorded *from);

/** replay_scene() - Replay the recording at @path into a scene file (defined in replay.c).
 * @roads: folder of the road files, NULL: folder of the recording
 * Return: enum exit_code. */
int replay_scene(const char *path, const char *roads, const char *scene, double rate);

#endif
