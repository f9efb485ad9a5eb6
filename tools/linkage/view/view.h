/* SPDX-License-Identifier: Apache-2.0 */
/* linkage view: a picture of a model.
 *
 *   view.c      options, the state to show, what is open
 *   camera.c    from where it is seen, in parallel projection
 *   shapes.c    the scene as faces and lines
 *   picture.c   faces, lines and words in the order in which they are drawn
 *   svg.c, png.c   the picture as a file; png.c needs cairo
 *
 * Pictures of modes (modes_picture.c) are drawn by the same files. */
#ifndef TOOLS_LINKAGE_VIEW_H
#define TOOLS_LINKAGE_VIEW_H

#include "linkage/scene.h"
#include <stdbool.h>
#include <stdio.h>

#define FACE_POINTS 24 /* at most, of a face */

/** struct camera - @right, @up: unit vectors of the page;  @back: towards the eye
 * @center: in the world [m], at @middle of the page;  @scale: [pixel/m] */
struct camera {
    double right[3];
    double up[3];
    double back[3];
    double center[3];
    double middle[2];
    double scale;
};

/** camera_choose() - a mechanism that is flat from its side, others obliquely from above.
 * @from: direction to the eye, NULL: chosen */
void camera_choose(struct camera *camera, const struct lk_scene *scene, const double *poses,
                   const double *from);
/** camera_depth() - of a place, larger is nearer [m].  camera_project() - on the page [pixel]. */
double camera_depth(const struct camera *camera, const double place[3]);
void camera_project(const struct camera *camera, const double place[3], double ret[2]);

/** enum mark_kind - LINE: of two points;  NOTE: words on the page itself */
enum mark_kind { MARK_FACE, MARK_LINE, MARK_NOTE };

/** struct mark - what is drawn at once. @layer: those of a higher one are drawn later, whatever the
 * depth;  @is_ground: does not count for the size of the picture
 * @at: its points in the world, on the page once picture_finish() is done
 * @width: of a line [pixel];  @color: red, green, blue, opacity */
struct mark {
    enum mark_kind kind;
    int layer;
    bool is_ground;
    int n;
    double depth;
    double width;
    double color[4];
    double at[FACE_POINTS][3];
    char text[96];
};

struct picture {
    struct camera camera;
    int width;
    int height;
    struct mark *mark;
    int n;
    int room;
    bool failed;
};

/** picture_add() - an empty mark;  never NULL, @picture->failed without memory. */
struct mark *picture_add(struct picture *picture, enum mark_kind kind, const double color[4]);
/** picture_add_line() - from @a to @b in the world. */
struct mark *picture_add_line(struct picture *picture, const double a[3], const double b[3],
                              double width, const double color[4]);
/** picture_finish() - find the scale, project, cut lines at the borders, sort. */
void picture_finish(struct picture *picture);
/** picture_note() - words at a place of the finished page [pixel]. */
void picture_note(struct picture *picture, double x, double y, const char *text,
                  const double color[4]);
/** picture_stroke() - a line on the finished page [pixel]. */
void picture_stroke(struct picture *picture, double x0, double y0, double x1, double y1,
                    double width, const double color[4]);

/** draw_scene() - all shapes. @with_frames: axes of the bodies, too */
void draw_scene(struct picture *picture, const struct lk_scene *scene, const double *poses,
                bool with_frames);

/** write_svg() - Return: whether all was written. */
bool write_svg(const struct picture *picture, FILE *to);
/** write_png() - to the file at @path. Return: NULL, or why not. */
const char *write_png(const struct picture *picture, const char *path);

#endif
