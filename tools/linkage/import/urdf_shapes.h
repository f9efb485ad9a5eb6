/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LINKAGE_IMPORT_URDF_SHAPES_H
#define TOOLS_LINKAGE_IMPORT_URDF_SHAPES_H

#include "import.h"

/** urdf_estimate() - Compute mass, centre and inertia of a link without <inertial> from its boxes,
 * spheres and cylinders; a note says so. Without such shapes the link is unchanged.
 * @node: element of the link;  @density: [kg/m^3] */
void urdf_estimate(const struct _xmlNode *node, double density, struct link *link,
                   struct notes *notes);

#endif
