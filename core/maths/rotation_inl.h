/* SPDX-License-Identifier: Apache-2.0 */
/* Products, and exponential and logarithm of the rotation group on unit quaternions, in the number
 * type LK_REAL: vec.h includes this file once for double and once for four bodies side by side.
 *
 * Exponential and logarithm run the same instructions for every argument: no branch, no call but a
 * square root. The polynomials interpolate at Chebyshev nodes (maths/fit-rotation computes the
 * coefficients in 60 digits and prints the error of the interpolation, below 1e-17). Valid for
 * rotations of at most pi, which is the bound of a step anyway. No include guard on purpose. */

LK_INLINE void LK_NAME(cross)(const LK_REAL a[3], const LK_REAL b[3], LK_REAL r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

/* r = S a, S symmetric */
LK_INLINE void LK_NAME(sym_mul)(const LK_REAL S[6], const LK_REAL a[3], LK_REAL r[3])
{
    r[0] = S[0] * a[0] + S[3] * a[1] + S[4] * a[2];
    r[1] = S[3] * a[0] + S[1] * a[1] + S[5] * a[2];
    r[2] = S[4] * a[0] + S[5] * a[1] + S[2] * a[2];
}

/* r = a b, quaternion product */
LK_INLINE void LK_NAME(quat_mul)(const LK_REAL a[4], const LK_REAL b[4], LK_REAL r[4])
{
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* R of a unit quaternion */
LK_INLINE void LK_NAME(quat_matrix)(const LK_REAL q[4], LK_REAL R[9])
{
    LK_REAL xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
    LK_REAL xy = q[1] * q[2], xz = q[1] * q[3], yz = q[2] * q[3];
    LK_REAL wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];

    R[0] = 1 - 2 * (yy + zz);
    R[1] = 2 * (xy - wz);
    R[2] = 2 * (xz + wy);
    R[3] = 2 * (xy + wz);
    R[4] = 1 - 2 * (xx + zz);
    R[5] = 2 * (yz - wx);
    R[6] = 2 * (xz - wy);
    R[7] = 2 * (yz + wx);
    R[8] = 1 - 2 * (xx + yy);
}

LK_INLINE LK_REAL LK_NAME(inner)(const LK_REAL a[3], const LK_REAL b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Horner's scheme for even and odd powers apart, which halves the chain of dependent operations; @n
 * is a constant of at least 4 at every call, so the loop unrolls */
LK_INLINE LK_REAL LK_NAME(polynomial)(const double *c, int n, LK_REAL x)
{
    LK_REAL xx = x * x;
    LK_REAL high = xx * c[n - 1] + c[n - 3], low = xx * c[n - 2] + c[n - 4];

    for (int i = n - 5; i >= 1; i -= 2) {
        high = high * xx + c[i];
        low = low * xx + c[i - 1];
    }
    /* c[0] is left over where n is odd: high and low have changed places */
    return n % 2 == 0 ? low + x * high : (high * x + low) * x + c[0];
}

/* q = exp(theta): the quaternion of the rotation vector @theta [rad], |theta| <= pi */
LK_INLINE void LK_NAME(rotation_exp)(const LK_REAL theta[3], LK_REAL q[4])
{
    /* cos(sqrt y) and sin(sqrt y) / sqrt y on y in [0, (pi/2)^2] */
    static const double cosine[] = {
        1.0,
        -5.00000000000000000e-01,
        4.16666666666666574e-02,
        -1.38888888888885295e-03,
        2.48015873014925863e-05,
        -2.75573192096473410e-07,
        2.08767556660535280e-09,
        -1.14706701428640753e-11,
        4.77687173341536779e-14,
        -1.51197786600161009e-16,
    };
    static const double sinc[] = {
        1.0,
        -1.66666666666666657e-01,
        8.33333333333318577e-03,
        -1.98412698412086380e-04,
        2.75573192112232575e-06,
        -2.50521068899751311e-08,
        1.60589408478324924e-10,
        -7.64302573896434491e-13,
        2.72156609211255972e-15,
    };
    LK_REAL y = 0.25 * LK_NAME(inner)(theta, theta);
    LK_REAL s = 0.5 * LK_NAME(polynomial)(sinc, 9, y);

    q[0] = LK_NAME(polynomial)(cosine, 10, y);
    for (int i = 0; i < 3; i++)
        q[i + 1] = s * theta[i];
}

/* theta = log(q): the rotation vector [rad] of a unit quaternion with w >= 0 (|theta| <= pi).
 * With t = tan(theta/4) = |v| / (1 + w) and one more halving t' = tan(theta/8) <= tan(pi/8) the
 * angle is 8 atan(t'), and atan(t') / t' is a polynomial of t'^2 on [0, tan(pi/8)^2]. */
LK_INLINE void LK_NAME(rotation_log)(const LK_REAL q[4], LK_REAL theta[3])
{
    static const double arctan[] = {
        1.0,
        -3.33333333333331205e-01,
        1.99999999999408373e-01,
        -1.42857142792449682e-01,
        1.11111107446570989e-01,
        -9.09089680147281282e-02,
        7.69204519456146568e-02,
        -6.66295024603664049e-02,
        5.84686675227415950e-02,
        -5.03504979530844249e-02,
        3.79639031610178174e-02,
        -1.78038963947184381e-02,
    };
    LK_REAL vv = LK_NAME(inner)(q + 1, q + 1);
    LK_REAL narrow = 1 / (1 + q[0]);
    LK_REAL tt = vv * narrow * narrow;              /* tan(theta/4)^2 */
    LK_REAL half = 1 / (1 + LK_NAME(root)(1 + tt)); /* t' = t half */
    LK_REAL uu = tt * half * half;                  /* tan(theta/8)^2 */
    LK_REAL scale = 8 * narrow * half * LK_NAME(polynomial)(arctan, 12, uu);

    for (int i = 0; i < 3; i++)
        theta[i] = scale * q[i + 1];
}
