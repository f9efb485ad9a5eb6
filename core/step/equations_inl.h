/* SPDX-License-Identifier: Apache-2.0 */
/* Motion of a body in a step: the equations of `ali3`, `rattle` and `rk4`, in the number type
 * LK_REAL, see equations.h. The caller loads and stores the values of one body, of four bodies, or
 * of as many as an engine has lanes. Other files treat rows and fronts. There is no include guard,
 * because equations.h includes this file several times.
 *
 * v, a: translation in world axes, then rotation in the axes of the body
 * u, theta: motion of a step, in the same axes;  @turn: exp(theta)
 * sm, sJ: s / m, s J^-1
 * @is_ball: J is J[0] times the unit matrix, and sJ likewise
 * Results may not alias arguments, unless stated. */

/* ---- poses ---- */

/* compute the pose at which rows are evaluated: position x_old + u, orientation q_old turn
 * as a matrix */
LK_INLINE void LK_NAME(moved_place)(const LK_REAL x_old[3], const LK_REAL q_old[4],
                                    const LK_REAL u[3], const LK_REAL turn[4], LK_REAL x[3],
                                    LK_REAL R[9])
{
    LK_REAL q[4];

    for (int i = 0; i < 3; i++)
        x[i] = x_old[i] + u[i];
    LK_NAME(quat_mul)(q_old, turn, q);
    LK_NAME(quat_matrix)(q, R);
}

/* compute the pose that is stored, with a normalised quaternion. @x, @q may alias @x_old, @q_old */
LK_INLINE void LK_NAME(moved_state)(const LK_REAL x_old[3], const LK_REAL q_old[4],
                                    const LK_REAL u[3], const LK_REAL turn[4], LK_REAL x[3],
                                    LK_REAL q[4])
{
    LK_REAL turned[4];

    LK_NAME(quat_mul)(q_old, turn, turned);
    LK_NAME(quat_normalise)(turned);
    for (int i = 0; i < 3; i++)
        x[i] = x_old[i] + u[i];
    for (int i = 0; i < 4; i++)
        q[i] = turned[i];
}

/* compute q exp(dtheta) */
LK_INLINE void LK_NAME(turn_on)(const LK_REAL q[4], const LK_REAL dtheta[3], LK_REAL ret[4])
{
    LK_REAL dq[4];

    LK_NAME(rotation_exp)(dtheta, dq);
    LK_NAME(quat_mul)(q, dq, ret);
}

/* ---- inertia ---- */

LK_INLINE void LK_NAME(times_moments)(const LK_REAL *S, bool is_ball, const LK_REAL a[3],
                                      LK_REAL r[3])
{
    if (!is_ball) {
        LK_NAME(sym_mul)(S, a, r);
        return;
    }
    for (int i = 0; i < 3; i++)
        r[i] = S[0] * a[i];
}

/* compute w x J w */
LK_INLINE void LK_NAME(gyroscopic)(const LK_REAL J[6], const LK_REAL w[3], LK_REAL r[3])
{
    LK_REAL Jw[3];

    LK_NAME(sym_mul)(J, w, Jw);
    LK_NAME(cross)(w, Jw, r);
}

/* remove the undetermined component about an @axis without inertia; @axis: unit vector, or 0
 * for none */
LK_INLINE void LK_NAME(drop_along)(const LK_REAL axis[3], LK_REAL vector[3])
{
    LK_REAL along = LK_NAME(inner)(axis, vector);

    for (int i = 0; i < 3; i++)
        vector[i] -= along * axis[i];
}

/* ---- ali3, see ali3.c ---- */

/* return the prediction h v + h^2/2 a, with the second term multiplied by @part */
LK_INLINE LK_REAL LK_NAME(taylor)(double h, LK_REAL part, LK_REAL v, LK_REAL a)
{
    return h * v + 0.5 * h * h * part * a;
}

/* compute v = 2/h u - v_old, a = 2/h (v - v_old) - a_old */
LK_INLINE void LK_NAME(trapezoidal)(double h, const LK_REAL u[3], const LK_REAL theta[3],
                                    const LK_REAL v_old[6], const LK_REAL a_old[6], LK_REAL v[6],
                                    LK_REAL a[6])
{
    double rate = 2 / h;

    for (int i = 0; i < 6; i++) {
        v[i] = rate * (i < 3 ? u[i] : theta[i - 3]) - v_old[i];
        a[i] = rate * (v[i] - v_old[i]) - a_old[i];
    }
}

/* compute g = M (a - gravity) + w x J w */
LK_INLINE void LK_NAME(inertial_force)(LK_REAL mass, const LK_REAL J[6], const double gravity[3],
                                       const LK_REAL v[6], const LK_REAL a[6], LK_REAL g[6])
{
    LK_REAL gyroscopic[3];

    LK_NAME(gyroscopic)(J, v + 3, gyroscopic);
    LK_NAME(sym_mul)(J, a + 3, g + 3);
    for (int i = 0; i < 3; i++) {
        g[i] = mass * (a[i] - gravity[i]);
        g[3 + i] += gyroscopic[i];
    }
}

/* ---- rattle, see rattle.c ---- */

/* return the prediction h v + h^2/2 a, with the second term multiplied by @part. a is the
 * acceleration of the last half kick, 2/h (v - @moved / h), because accelerations of the state may
 * be large near a singular pose */
LK_INLINE LK_REAL LK_NAME(rattle_ahead)(double h, LK_REAL part, LK_REAL v, LK_REAL moved)
{
    return h * v + part * (h * v - moved);
}

/* compute 2/h (D(theta) J theta / h - J w_n); @hJw: h J w_n */
LK_INLINE void LK_NAME(rattle_start)(double s, const LK_REAL J[6], const LK_REAL hJw[3],
                                     const LK_REAL theta[3], LK_REAL r[3])
{
    LK_REAL Jtheta[3], carried[3];

    LK_NAME(sym_mul)(J, theta, Jtheta);
    LK_NAME(dexp_inverse)(theta, Jtheta, carried);
    for (int i = 0; i < 3; i++)
        r[i] = 0.5 / s * (carried[i] - hJw[i]);
}

/* Compute the torque of the tension in the half kicks of a step with rotation @theta: + K theta / 2
 * in the first, - K theta / 2 in the second. Both also contain d K @more, where @more = theta -
 * theta', and theta' is the rotation of the last step, see LK_TENSION_LATE. */
LK_INLINE void LK_NAME(rattle_tension_start)(const LK_REAL K[6], const LK_REAL theta[3],
                                             const LK_REAL more[3], LK_REAL r[3])
{
    LK_REAL turn[3];

    for (int i = 0; i < 3; i++)
        turn[i] = 0.5 * theta[i] + LK_TENSION_LATE * more[i];
    LK_NAME(sym_mul)(K, turn, r);
}

LK_INLINE void LK_NAME(rattle_tension_end)(const LK_REAL K[6], const LK_REAL theta[3],
                                           const LK_REAL more[3], LK_REAL r[3])
{
    LK_REAL turn[3];

    for (int i = 0; i < 3; i++)
        turn[i] = 0.5 * theta[i] - LK_TENSION_LATE * more[i];
    LK_NAME(sym_mul)(K, turn, r);
}

/* return the energy that both half kicks dissipate: together they contain an impulse of -h d
 * K @more */
LK_INLINE LK_REAL LK_NAME(rattle_tension_takes)(const LK_REAL K[6], const LK_REAL theta[3],
                                                const LK_REAL more[3])
{
    LK_REAL torque[3];

    LK_NAME(sym_mul)(K, more, torque);
    return LK_TENSION_LATE * LK_NAME(inner)(theta, torque);
}

/* Compute the motion of a step after the correction dq = -@change that closes the joints, and its
 * difference from the @last motion, divided by h^2. @turned: rotation of the motion */
LK_INLINE void LK_NAME(rattle_close_body)(double h, const LK_REAL change[6], const LK_REAL u[3],
                                          const LK_REAL turn[4], const LK_REAL last[6],
                                          LK_REAL moved[6], LK_REAL turned[4], LK_REAL curvature[6])
{
    LK_REAL dtheta[3];

    for (int i = 0; i < 3; i++) {
        moved[i] = u[i] - change[i];
        dtheta[i] = -change[3 + i];
    }
    LK_NAME(turn_on)(turn, dtheta, turned);
    LK_NAME(rotation_log)(turned, moved + 3);
    for (int i = 0; i < 6; i++)
        curvature[i] = 1 / (h * h) * (moved[i] - last[i]);
}

/* return dq . M a of the correction @change that closes the joints, with a = 2/h (u / h - v_n), see
 * lk_one_book_closing() */
LK_INLINE LK_REAL LK_NAME(rattle_closing_work)(double h, bool is_ball, LK_REAL mass,
                                               const LK_REAL J[6], const LK_REAL change[6],
                                               const LK_REAL u[6], const LK_REAL v[6])
{
    LK_REAL push[6], a[6];

    LK_NAME(times_moments)(J, is_ball, change + 3, push + 3);
    for (int i = 0; i < 3; i++)
        push[i] = mass * change[i];
    for (int i = 0; i < 6; i++)
        a[i] = 2 / h * (1 / h * u[i] - v[i]);
    return LK_NAME(inner)(push, a) + LK_NAME(inner)(push + 3, a + 3);
}

/* return the rotational part of g . u / 2, from @residual = s (J + s K)^-1 g */
LK_INLINE LK_REAL LK_NAME(rattle_left_work)(double s, const LK_REAL J[6], const LK_REAL K[6],
                                            const LK_REAL residual[3], const LK_REAL theta[3])
{
    LK_REAL g[3], pull[3];

    LK_NAME(sym_mul)(J, residual, g);
    if (K != NULL) {
        LK_NAME(sym_mul)(K, residual, pull);
        for (int i = 0; i < 3; i++)
            g[i] += s * pull[i];
    }
    return 0.5 / s * LK_NAME(inner)(g, theta);
}

/* compute the velocities after the half kick at q_n+1, from the motion @u, @theta of the step.
 * @force: Phi_q^T lambda - Q at q_n+1, less the torque of tension; @is_linear: D(theta) is the unit
 *         matrix */
LK_INLINE void LK_NAME(rattle_kick_body)(double h, double s, bool is_ball, bool is_linear,
                                         const LK_REAL J[6], LK_REAL sm, const LK_REAL sJ[6],
                                         const LK_REAL u[3], const LK_REAL theta[3],
                                         const LK_REAL force[6], LK_REAL v[6])
{
    LK_REAL back[3], Jtheta[3], momentum[3];

    LK_NAME(times_moments)(J, is_ball, theta, Jtheta);
    for (int i = 0; i < 3; i++) {
        back[i] = -theta[i];
        momentum[i] = Jtheta[i];
    }
    if (!is_linear)
        LK_NAME(dexp_inverse)(back, Jtheta, momentum);
    for (int i = 0; i < 3; i++) {
        v[i] = 1 / h * u[i] - 2 / h * sm * force[i];
        momentum[i] = 1 / (h * s) * momentum[i] - 2 / h * force[3 + i];
    }
    LK_NAME(times_moments)(sJ, is_ball, momentum, v + 3);
}

/* Compute the weight of the change of @curvature since the @last step in the extrapolation, for
 * translation and for rotation: 2 a.b / (a.a + b.b), not below 0. It is 1 - O(h^2) in smooth
 * motion, and 0 after a jump. */
LK_INLINE void LK_NAME(rattle_smoothness)(const LK_REAL curvature[6], const LK_REAL last[6],
                                          LK_REAL ret[2])
{
    for (int part = 0; part < 2; part++) {
        const LK_REAL *a = curvature + 3 * part, *b = last + 3 * part;
        LK_REAL both = LK_NAME(inner)(a, b), all = LK_NAME(inner)(a, a) + LK_NAME(inner)(b, b);

        ret[part] = 2 * LK_NAME(max)(both, (LK_REAL){0}) / (all + 1e-300);
    }
}

/* Compute velocity and acceleration at the end of a step from its positions only: the
 * backward difference (11 u - 7 u_last + 2 u_before) / 6h, of order 3, and the extrapolated
 * second difference, of order 2. After a jump: u / h and the second difference without
 * extrapolation. u, u_last, u_before: displacements in this step and in the two steps before. */
LK_INLINE void LK_NAME(rattle_differences)(double h, const LK_REAL moved[6],
                                           const LK_REAL curvature[6], const LK_REAL last[6],
                                           LK_REAL v[6], LK_REAL a[6])
{
    LK_REAL smooth[2];

    LK_NAME(rattle_smoothness)(curvature, last, smooth);
    for (int i = 0; i < 6; i++) {
        LK_REAL more = smooth[i / 3] * (curvature[i] - last[i]);

        v[i] = 1 / h * moved[i] + 0.5 * h * smooth[i / 3] * curvature[i] + h / 3 * more;
        a[i] = curvature[i] + more;
    }
}

/* Replace @v by @other in directions without inertia: in @massless translation and rotation, and
 * about the axis @thin. Impulses do not determine the motion in these directions. */
LK_INLINE void LK_NAME(rattle_replace)(const LK_REAL massless[2], const LK_REAL thin[3],
                                       const LK_REAL other[6], LK_REAL v[6])
{
    LK_REAL missing[6], along;

    for (int i = 0; i < 6; i++)
        missing[i] = other[i] - v[i];
    along = LK_NAME(inner)(thin, missing + 3);
    for (int i = 0; i < 6; i++)
        v[i] += massless[i / 3] * missing[i];
    for (int i = 0; i < 3; i++)
        v[3 + i] += along * thin[i];
}

/* compute a = -W (w x J w + @force), where @force is Phi_q^T lambda - Q */
LK_INLINE void LK_NAME(free_acceleration)(double s, bool is_ball, bool is_linear,
                                          const LK_REAL J[6], LK_REAL sm, const LK_REAL sJ[6],
                                          const LK_REAL w[3], const LK_REAL force[6], LK_REAL a[6])
{
    LK_REAL torque[3];

    for (int i = 0; i < 3; i++)
        torque[i] = (LK_REAL){0};
    if (!is_linear)
        LK_NAME(gyroscopic)(J, w, torque);
    for (int i = 0; i < 3; i++)
        torque[i] += force[3 + i];
    LK_NAME(times_moments)(sJ, is_ball, torque, a + 3);
    for (int i = 0; i < 3; i++) {
        a[i] = -1 / s * sm * force[i];
        a[3 + i] = -1 / s * a[3 + i];
    }
}

/* ---- rk4, see rk4.c ---- */

/* compute the derivatives of x, theta, v, w in a stage with rotation @theta; @is_first:
 * theta is 0 */
LK_INLINE void LK_NAME(rk4_rates)(const LK_REAL theta[3], bool is_first, const LK_REAL v[6],
                                  const LK_REAL a[6], LK_REAL rate[12])
{
    LK_REAL once[3], twice[3];

    LK_NAME(cross)(theta, v + 3, once);
    LK_NAME(cross)(theta, once, twice);
    for (int i = 0; i < 3; i++) {
        rate[i] = v[i];
        rate[3 + i] = v[3 + i];
        if (!is_first)
            rate[3 + i] += 0.5 * once[i] + (1.0 / 12) * twice[i];
        rate[6 + i] = a[i];
        rate[9 + i] = a[3 + i];
    }
}

/* compute the motion since the start of the step, and velocities, from the derivatives @by
 * over the time @h */
LK_INLINE void LK_NAME(rk4_advance)(double h, const LK_REAL by[12], const LK_REAL v_old[6],
                                    LK_REAL u[3], LK_REAL theta[3], LK_REAL v[6])
{
    for (int i = 0; i < 3; i++) {
        u[i] = h * by[i];
        theta[i] = h * by[3 + i];
    }
    for (int i = 0; i < 6; i++)
        v[i] = v_old[i] + h * by[6 + i];
}
