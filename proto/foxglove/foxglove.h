/* SPDX-License-Identifier: Apache-2.0 */
/* A scene and its motion in the messages that Foxglove, Lichtblick, PlotJuggler and rerun draw:
 * protobuf, package foxglove.
 *
 *     /tf     foxglove.FrameTransforms   where each body is, in the frame "ground"
 *     /scene  foxglove.SceneUpdate       shapes, an entity a body that moves with its frame;
 * springs and rods again and again, as they change their length
 *
 *     /log    foxglove.Log               what happened: words, the condition's identifier, remedy
 *
 * Frames are the bodies by their names; no body is called ground. One more frame is for cameras: it
 * does not turn, and goes where the machine goes. Lengths in m.
 * Thread: any but the cycle. Buffers grow; a failure marks them as full, see mcap/write.h. */
#ifndef LK_FOXGLOVE_FOXGLOVE_H
#define LK_FOXGLOVE_FOXGLOVE_H

#include "linkage/scene.h"
#include "mcap/recording.h"

#define LK_FOXGLOVE_TRANSFORMS "foxglove.FrameTransforms"
#define LK_FOXGLOVE_SCENE      "foxglove.SceneUpdate"
#define LK_FOXGLOVE_LOG        "foxglove.Log"
#define LK_FOXGLOVE_VIEW       "ground/view" /* a frame; no name of a body has a '/' */

/** lk_foxglove_schema() - FileDescriptorSet of all three types, with all that they consist of. */
void lk_foxglove_schema(struct lk_mcap_buffer *set);

/** lk_foxglove_transforms() - a message of /tf. @ns: time, UTC;  @poses: as lk_system_poses() */
void lk_foxglove_transforms(struct lk_mcap_buffer *message, const struct lk_scene *scene,
                            const double *poses, uint64_t ns);

/** struct lk_foxglove_view - the frame for cameras; {0} at first. @at: in the world [m], where it
 * @stands;  @follows: a machine that goes away;  @low, @high: where bodies were [m] */
struct lk_foxglove_view {
    bool stands;
    bool follows;
    double at[3];
    double low[3];
    double high[3];
};

/** lk_foxglove_view() - one more transform of a message of /tf: the frame LK_FOXGLOVE_VIEW. Of a
 * machine that a joint holds to the ground it is in the middle of all places where bodies were, so
 * that what swings is seen to swing. Of others, and once those places are four of its sizes apart,
 * it is drawn along by the middle of the bodies, at most 0.1 of the size behind. Poses that are not
 * finite leave it where it is. */
void lk_foxglove_view(struct lk_mcap_buffer *message, struct lk_foxglove_view *view,
                      const struct lk_scene *scene, const double *poses, uint64_t ns);

/** lk_foxglove_shapes() - a message of /scene with all shapes that are fixed to bodies or to the
 * ground: once is enough. */
void lk_foxglove_shapes(struct lk_mcap_buffer *message, const struct lk_scene *scene, uint64_t ns);

/** lk_foxglove_spans() - a message of /scene with springs and rods between two bodies. Return:
 * whether there are any. */
bool lk_foxglove_spans(struct lk_mcap_buffer *message, const struct lk_scene *scene,
                       const double *poses, uint64_t ns);

/** lk_foxglove_clear() - at the begin of a message of /scene: it replaces all that was shown. */
void lk_foxglove_clear(struct lk_mcap_buffer *message, uint64_t ns);

/** enum lk_foxglove_level - of foxglove.Log. */
enum lk_foxglove_level { LK_FOXGLOVE_INFO = 2, LK_FOXGLOVE_WARNING = 3, LK_FOXGLOVE_ERROR = 4 };

/** lk_foxglove_log() - a message of /log. @name: what it is about;  @id: of the daemon's condition,
 * "LK-2004", NULL: none; it stands behind @text, and for warnings and errors on a further line what
 * to do */
void lk_foxglove_log(struct lk_mcap_buffer *message, enum lk_foxglove_level level, const char *name,
                     const char *id, const char *text, uint64_t ns);

/** lk_foxglove_log_recorded() - the same of an event of a recording, whose level is that of its
 * condition in daemon/CONDITIONS.md. */
void lk_foxglove_log_recorded(struct lk_mcap_buffer *message,
                              const struct lk_recording_event *event, uint64_t ns);

#endif
