/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts as springs about a pose at rest, for the search for an equilibrium and for small
 * motions. A point that touches has the stiffness 1 / 2 E along its three rows: its compliance in a
 * step. Not for the cycle. */
#ifndef LK_COMPILE_CONTACT_SPRINGS_H
#define LK_COMPILE_CONTACT_SPRINGS_H

#include "step/elements/contacts.h"

/** lk_contact_anchor() - compute where point @index is at the present poses. @ret: from the centres
 * of mass of both sides, body axes [m] */
void lk_contact_anchor(const struct lk_system *system, int index, double ret[2][3]);

/** lk_contact_deflections() - compute the deflections of the rows of point @index at the present
 * poses: two displacements from @anchor along the tangents, and the gap [m]. */
void lk_contact_deflections(const struct lk_system *system, int index, const double anchor[2][3],
                            double ret[3]);

#endif
