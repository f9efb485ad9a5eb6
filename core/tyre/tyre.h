/* SPDX-License-Identifier: Apache-2.0 */
/* Steady-state tyre laws: the forces at the contact as functions of the load and the slips of a
 * rolling wheel.
 *
 * Frames and signs are those of ISO 8855 (TYDEX-W): x ahead, y to the left, z up, all at the
 * contact point on the road; kappa > 0 drives, the contact moves left if tan alpha > 0 (then Fy <
 * 0), the top leans right if sin gamma > 0. A law does not depend on the side of the car: for a
 * mirrored tyre lk_tyre_evaluate() mirrors slips and forces.
 *
 * Pure functions of their arguments: arithmetic and square roots, no mathematical library, so the
 * bits depend on the build alone. Nothing is allocated. Any finite input has a finite result.
 * Thread: any. RT: yes. */
#ifndef LK_TYRE_TYRE_H
#define LK_TYRE_TYRE_H

#include "tyre/magic_formula_keys.h"

/** struct lk_tyre_slip - arguments of a law. @load: Fz [N]; the force is zero unless the load is
 * positive
 * @kappa:    longitudinal slip -Vsx / |Vcx|;  @slope: tan alpha = Vcy / |Vcx|. For TMeasy: its
 *            own slips sx and -sy, which divide by the speed of rolling, see tmeasy.c
 * @camber:   sin gamma;  @speed: |Vcx| [m/s], for rolling resistance
 * @friction: friction of this road relative to the friction of the parameters */
struct lk_tyre_slip {
    double load;
    double kappa;
    double slope;
    double camber;
    double speed;
    double friction;
};

/** struct lk_tyre_forces - forces and moments of the road on the tyre, at the contact point.
 * @fx, @fy [N]; @mx, @my, @mz [N m]; @my is for a wheel that rolls ahead
 * @secant: Fx over kappa and -Fy over tan alpha, each without the offset of the law, never
 *          negative [N]: an upper bound of the slope beyond the linear part
 * @stiffness: dFx/dkappa and -dFy/dtan alpha without slip [N], not negative
 * @grip:   largest side force at this load [N] */
struct lk_tyre_forces {
    double fx;
    double fy;
    double mx;
    double my;
    double mz;
    double secant[2];
    double stiffness[2];
    double grip;
};

/** struct lk_tyre_fiala - Fiala as in Adams. @slip, @cornering: stiffness CSLIP [N], CALPHA [N/rad]
 * @friction: UMIN (at full slip) and UMAX (without);  @width [m];  @rolling: lever of the rolling
 * resistance [m] */
struct lk_tyre_fiala {
    double slip;
    double cornering;
    double friction[2];
    double width;
    double rolling;
};

/** struct lk_tyre_curve - a force over slip in TMeasy. All fields: values at the nominal load
 * and at twice the nominal load.
 * @initial: slope without slip [N];  @slip_max, @force_max: the peak [-, N]
 * @slip_slide, @force_slide: the point where sliding begins */
struct lk_tyre_curve {
    double initial[2];
    double slip_max[2];
    double force_max[2];
    double slip_slide[2];
    double force_slide[2];
};

/** struct lk_tyre_tmeasy - parameters of TMeasy (G. Rill, Road Vehicle Dynamics). @load:
 * nominal load [N]
 * @curve: forces along and across
 * @trail: pneumatic trail / length of the contact;  @trail_zero: lateral slip at the first zero
 *         of the trail;  @trail_end: lateral slip beyond which the trail is 0. All three: at the
 *         nominal load and at twice the nominal load
 * @radius [m], @stiffness [N/m]: values that determine the length of the contact
 * @rolling: coefficient of rolling resistance
 * @speed: vn [m/s], which smooths slips at standstill */
struct lk_tyre_tmeasy {
    double load;
    struct lk_tyre_curve curve[2];
    double trail[2];
    double trail_zero[2];
    double trail_end[2];
    double radius;
    double stiffness;
    double rolling;
    double speed;
};

/** struct lk_tyre_calspan - side force and aligning moment of the IAVSD benchmark (J. C. Samin, P.
 * Fisette, Symbolic Modeling of Multibody Systems, 2003); no force along x. @A: A0 to A4;  @B1,
 * @B3, @B4, @SN: friction;  @AF: AF1, AF2 */
struct lk_tyre_calspan {
    double A[5];
    double B1;
    double B3;
    double B4;
    double SN;
    double AF[2];
};

/** struct lk_tyre_magic - parameters of the Magic Formula by their names in a .tir file.
 * @pressure: present pressure [Pa] */
struct lk_tyre_magic {
#define LK_MAGIC_FIELD(name, fallback) double name;
    LK_MAGIC_KEYS(LK_MAGIC_FIELD)
#undef LK_MAGIC_FIELD
    double pressure;
};

enum lk_tyre_law_kind {
    LK_TYRE_FIALA,
    LK_TYRE_MF52,
    LK_TYRE_MF61,
    LK_TYRE_TMEASY,
    LK_TYRE_CALSPAN,
    LK_TYRE_LAWS
};

/** struct lk_tyre_law - a law with its parameters. @is_mirrored: evaluate the mirror image of the
 * tyre */
struct lk_tyre_law {
    enum lk_tyre_law_kind kind;
    int is_mirrored;
    union {
        struct lk_tyre_fiala fiala;
        struct lk_tyre_magic magic;
        struct lk_tyre_tmeasy tmeasy;
        struct lk_tyre_calspan calspan;
    } of;
};

/** lk_tyre_evaluate() - compute the forces of a law, mirrored if law->is_mirrored. */
void lk_tyre_evaluate(const struct lk_tyre_law *law, const struct lk_tyre_slip *slip,
                      struct lk_tyre_forces *ret);

/** lk_tyre_relaxation() - compute the relaxation lengths of the forces along and across [m]
 * at the present @load and @camber; 0 if the law has no relaxation lengths.
 * @forces: result of lk_tyre_evaluate() at this load and camber */
void lk_tyre_relaxation(const struct lk_tyre_law *law, const struct lk_tyre_slip *slip,
                        const struct lk_tyre_forces *forces, double ret[2]);

/** lk_tyre_rolling_radius() - return the effective rolling radius Re [m] of a tyre.
 * @radius: free radius [m];  @loaded: distance of the centre from the road [m];  @load: [N]
 * @rate: rate of rotation [rad/s];  @stiffness: vertical [N/m] */
double lk_tyre_rolling_radius(const struct lk_tyre_law *law, double radius, double loaded,
                              double load, double stiffness, double rate);

/* laws of each type, for a tyre that is not mirrored; slips must be within the bounds of
 * lk_tyre_evaluate() */
void lk_tyre_fiala(const struct lk_tyre_fiala *p, const struct lk_tyre_slip *slip,
                   struct lk_tyre_forces *ret);
void lk_tyre_mf52(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip,
                  struct lk_tyre_forces *ret);
void lk_tyre_mf61(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip,
                  struct lk_tyre_forces *ret);
void lk_tyre_tmeasy(const struct lk_tyre_tmeasy *p, const struct lk_tyre_slip *slip,
                    struct lk_tyre_forces *ret);
void lk_tyre_calspan(const struct lk_tyre_calspan *p, const struct lk_tyre_slip *slip,
                     struct lk_tyre_forces *ret);

#endif
