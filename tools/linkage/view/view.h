/* SPDX-License-Identifier: Apache-2.0 */
/* linkage view: a picture of a model.
 *
 *     view.c          options, the displayed state, open joints
 *     film.c          a recording as a page that plays it
 *     offline.c       the page
 *     camera.c        view direction and parallel projection
 *     shapes.c        the scene as faces and lines
 *     picture.c       faces, lines and text in drawing order
 *     svg.c, png.c    the picture as a file; png.c needs cairo
 *
 * Pictures of modes (modes_picture.c) use the same files. */
#ifndef TOOLS_LINKAGE_VIEW_H
#define TOOLS_LINKAGE_VIEW_H

#include "linkage/scene.h"
#include <stdbool.h>
#include <stdio.h>

#define FACE_POINTS 24 /* largest number of corners of a face */

/** struct camera - view of the world.
 * @right, @up: unit vectors along the page
 * @back:       unit vector towards the eye
 * @center:     point in the world [m] that is drawn at @middle of the page
 * @scale:      scale of the drawing [pixel/m] */
struct camera {
    double right[3];
    double up[3];
    double back[3];
    double center[3];
    double middle[2];
    double scale;
};

/** camera_choose() - Choose the view: a planar mechanism perpendicular to its plane, others
 * obliquely from above.
 * @from: direction to the eye, NULL: choose it */
void camera_choose(struct camera *camera, const struct lk_scene *scene, const double *poses,
                   const double *from);
/** camera_depth() - Return the depth of a point [m]; larger is nearer.
 * camera_project() - Project a point to the page [pixel]. */
double camera_depth(const struct camera *camera, const double place[3]);
void camera_project(const struct camera *camera, const double place[3], double ret[2]);

/** enum mark_kind - type of a mark. LINE: line between two points; NOTE: text at a position of the
 * page */
enum mark_kind { MARK_FACE, MARK_LINE, MARK_NOTE };

/** struct mark - a drawing element.
 * @layer:     higher layers are drawn later, regardless of the depth
 * @is_ground: excluded from the size of the picture
 * @at:        points in the world, after picture_finish() on the page
 * @width:     width of a line [pixel]
 * @color:     red, green, blue, opacity */
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
    bool frames;
    bool boxes;
    struct mark *mark;
    int n;
    int room;
    bool failed;
};

/** picture_add() - Add an empty mark. Never returns NULL; without memory @picture->failed is
 * set. */
struct mark *picture_add(struct picture *picture, enum mark_kind kind, const double color[4]);
/** picture_add_line() - Add a line from @a to @b in the world. */
struct mark *picture_add_line(struct picture *picture, const double a[3], const double b[3],
                              double width, const double color[4]);
/** picture_finish() - Compute the scale, project all marks, clip lines at the borders, and sort the
 * marks. */
void picture_finish(struct picture *picture);
/** picture_note() - Add text at a position of the finished page [pixel]. */
void picture_note(struct picture *picture, double x, double y, const char *text,
                  const double color[4]);
/** picture_stroke() - Add a line on the finished page [pixel]. */
void picture_stroke(struct picture *picture, double x0, double y0, double x1, double y1,
                    double width, const double color[4]);

/** draw_scene() - Draw the shapes, the axes of the bodies with @picture->frames, and the boxes of
 * inertia with @picture->boxes. A body of which nothing else is to be seen always has its box. */
void draw_scene(struct picture *picture, const struct lk_scene *scene, const double *poses);

/** save_svg() - Write the picture to the file @path as SVG. Return: false after an error message.
 */
bool save_svg(const char *path, const struct picture *picture);
/** write_png() - Write the picture as PNG. Return: NULL, or the reason of a failure. */
const char *write_png(const struct picture *picture, FILE *to);

#endif
