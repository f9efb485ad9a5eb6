/* SPDX-License-Identifier: Apache-2.0 */
/* A scene and its motion as messages for Foxglove, Lichtblick, PlotJuggler and rerun: protobuf,
 * package foxglove.
 *
 *     /tf     foxglove.FrameTransforms   pose of each body in the frame "ground"
 *     /scene  foxglove.SceneUpdate       shapes; one entity per body, fixed to its frame; springs
 *                                        and rods repeatedly, because their length changes
 *     /log    foxglove.Log               events: text, identifier of the condition, remedy
 *
 * Each body has a frame with its name; no body is called ground. One additional frame is for
 * cameras: it does not rotate and moves with the machine. Lengths in m.
 *
 * Thread: any but the cycle. Buffers grow. If memory is exhausted, they are marked as full, see
 * mcap/write.h. */
#ifndef LK_FOXGLOVE_FOXGLOVE_H
#define LK_FOXGLOVE_FOXGLOVE_H

#include "linkage/scene.h"
#include "mcap/recording.h"

#define LK_FOXGLOVE_TRANSFORMS "foxglove.FrameTransforms"
#define LK_FOXGLOVE_SCENE      "foxglove.SceneUpdate"
#define LK_FOXGLOVE_LOG        "foxglove.Log"
#define LK_FOXGLOVE_VIEW       "ground/view" /* a frame; no name of a body has a '/' */

/** lk_foxglove_schema() - Write the FileDescriptorSet of the three types, including the types of
 * their fields. */
void lk_foxglove_schema(struct lk_mcap_buffer *set);

/** lk_foxglove_transforms() - Write a message of /tf.
 * @ns:    time, UTC
 * @poses: poses in the format of lk_system_poses() */
void lk_foxglove_transforms(struct lk_mcap_buffer *message, const struct lk_scene *scene,
                            const double *poses, uint64_t ns);

/** struct lk_foxglove_view - state of the frame for cameras; initialise with {0}.
 * @stands:     @at is valid
 * @at:         position of the frame in the world [m]
 * @follows:    the frame follows a machine that travels
 * @low, @high: corners of the box of all body positions so far [m] */
struct lk_foxglove_view {
    bool stands;
    bool follows;
    double at[3];
    double low[3];
    double high[3];
};

/** lk_foxglove_view() - Add the transform of the frame LK_FOXGLOVE_VIEW to a message of /tf. For a
 * machine with a joint to the ground, the frame is at the centre of the box of all body positions
 * so far, so that oscillations remain visible. For other machines, and once that box exceeds four
 * sizes of the machine, it follows the centre of the bodies at a distance of at most 0.1 of the
 * size. Poses that are not finite do not move it. */
void lk_foxglove_view(struct lk_mcap_buffer *message, struct lk_foxglove_view *view,
                      const struct lk_scene *scene, const double *poses, uint64_t ns);

/** lk_foxglove_shapes() - Write a message of /scene with all shapes fixed to bodies or to the
 * ground. One such message per file is sufficient. */
void lk_foxglove_shapes(struct lk_mcap_buffer *message, const struct lk_scene *scene, uint64_t ns);

/** lk_foxglove_spans() - Write a message of /scene with the springs and rods between two bodies.
 * Return: true if there are any. */
bool lk_foxglove_spans(struct lk_mcap_buffer *message, const struct lk_scene *scene,
                       const double *poses, uint64_t ns);

/** lk_foxglove_clear() - Begin a message of /scene that replaces all present entities. */
void lk_foxglove_clear(struct lk_mcap_buffer *message, uint64_t ns);

/** enum lk_foxglove_level - levels of foxglove.Log. */
enum lk_foxglove_level { LK_FOXGLOVE_INFO = 2, LK_FOXGLOVE_WARNING = 3, LK_FOXGLOVE_ERROR = 4 };

/** lk_foxglove_log() - Write a message of /log.
 * @name: subject of the message
 * @id:   identifier of the daemon's condition such as "LK-2004", NULL: none. The identifier is
 *        appended to @text; warnings and errors get a further line with the remedy */
void lk_foxglove_log(struct lk_mcap_buffer *message, enum lk_foxglove_level level, const char *name,
                     const char *id, const char *text, uint64_t ns);

/** lk_foxglove_log_recorded() - Write a message of /log for an event of a recording, with the level
 * of its condition in daemon/CONDITIONS.md. */
void lk_foxglove_log_recorded(struct lk_mcap_buffer *message,
                              const struct lk_recording_event *event, uint64_t ns);

#endif
