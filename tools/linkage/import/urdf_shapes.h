/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LINKAGE_IMPORT_URDF_SHAPES_H
#define TOOLS_LINKAGE_IMPORT_URDF_SHAPES_H

#include "import.h"

struct urdf_visuals;

/** urdf_estimate() - Compute mass, centre and inertia of a link without <inertial> from its boxes,
 * spheres and cylinders; a note says so. Without such shapes the link is unchanged.
 * @node: element of the link;  @density: [kg/m^3] */
void urdf_estimate(const struct _xmlNode *node, double density, struct link *link,
                   struct notes *notes);

/** urdf_solid() - Read an element in <geometry>: box, sphere, cylinder; without @notes also a
 * capsule, as its cylinder.
 * @ret_size: see struct lk_shape
 * @notes:    for errors, or NULL
 * Return: false if the element is another one or wrong. */
bool urdf_solid(const struct _xmlNode *node, enum lk_shape_kind *ret_kind, double ret_size[3],
                struct notes *notes);
/** urdf_place() - Read an element <origin>. @node: or NULL: the identity; @notes: or NULL */
void urdf_place(const struct _xmlNode *node, struct frame *ret, struct notes *notes);

/** urdf_visuals_new() - Prepare to read the shapes of links: collect the named materials.
 * @path: of the file
 * Return: free with urdf_visuals_free(); NULL after a note: no memory. */
struct urdf_visuals *urdf_visuals_new(const char *path, const struct _xmlNode *root,
                                      struct robot *robot, struct notes *notes);
/** urdf_visuals_add() - Add the shapes of a link to the robot: those of <visual>, or those of
 * <collision> if none of <visual> can be drawn.
 * @node: element of the link;  @link: its index */
void urdf_visuals_add(struct urdf_visuals *visuals, const struct _xmlNode *node, int link);
/** urdf_visuals_end() - Return the number of meshes drawn as boxes, and the shapes not drawn. */
int urdf_visuals_end(const struct urdf_visuals *visuals, struct undrawn *ret);
void urdf_visuals_free(struct urdf_visuals *visuals);

#endif
