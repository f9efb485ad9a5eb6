/* SPDX-License-Identifier: Apache-2.0 */
/* Products, and exponential and logarithm of the rotation group on unit quaternions, in the number
 * type LK_REAL: vec.h includes this file once for double and once for four bodies side by side.
 *
 * Exponential and logarithm run the same instructions for every argument: no branch, no call, no
 * division. The polynomials interpolate at Chebyshev nodes (maths/fit-rotation computes the
 * coefficients in 60 digits and prints the error of the interpolation, below 1e-17). Valid for
 * |theta| <= pi, which is also the largest rotation of a body in a step. No include guard on
 * purpose. */

LK_INLINE void LK_NAME(cross)(const LK_REAL a[3], const LK_REAL b[3], LK_REAL r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

/* Compute r = S a, S symmetric. */
LK_INLINE void LK_NAME(sym_mul)(const LK_REAL S[6], const LK_REAL a[3], LK_REAL r[3])
{
    r[0] = S[0] * a[0] + S[3] * a[1] + S[4] * a[2];
    r[1] = S[3] * a[0] + S[1] * a[1] + S[5] * a[2];
    r[2] = S[4] * a[0] + S[5] * a[1] + S[2] * a[2];
}

/* Compute the quaternion product r = a b. */
LK_INLINE void LK_NAME(quat_mul)(const LK_REAL a[4], const LK_REAL b[4], LK_REAL r[4])
{
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* normalise a quaternion whose norm is 1 up to round-off, by one Newton step of 1/sqrt */
LK_INLINE void LK_NAME(quat_normalise)(LK_REAL q[4])
{
    LK_REAL scale = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

    for (int i = 0; i < 4; i++)
        q[i] *= scale;
}

/* Compute the rotation matrix R of a unit quaternion. */
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

/* Return sum c[i] x^i, computed with four Horner schemes in x^4, one for each i modulo 4. The
 * dependency chain is a quarter of the chain of a single scheme. @n is a constant of at least 4 at
 * every call, so the loops unroll. */
LK_INLINE LK_REAL LK_NAME(polynomial)(const double *c, int n, LK_REAL x)
{
    LK_REAL xx = x * x, xxxx = xx * xx, part[4];

#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        int last = (n - 1 - k) / 4 * 4 + k;

        part[k] = c[last] + (LK_REAL){0};
#pragma GCC unroll 6
        for (int i = last - 4; i >= 0; i -= 4)
            part[k] = part[k] * xxxx + c[i];
    }
    return (part[0] + part[1] * x) + (part[2] + part[3] * x) * xx;
}

/* Compute q = exp(theta): the quaternion of the rotation vector @theta [rad], |theta| <= pi */
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

/* Compute theta = log(q): the rotation vector [rad] of a unit quaternion with w >= 0 (|theta| <=
 * pi). With w = cos(theta/2) and |v| = sin(theta/2), theta = 2 v acos(w) / sqrt(1 - w^2), which is
 * a smooth function of 1 - w on [0, 1]: a polynomial, no division and no root. */
LK_INLINE void LK_NAME(rotation_log)(const LK_REAL q[4], LK_REAL theta[3])
{
    /* acos(1 - t) / sqrt(1 - (1 - t)^2) on t in [0, 1] */
    static const double arc[] = {
        1.0,
        3.33333333333337756e-01,
        1.33333333332625648e-01,
        5.71428571879343469e-02,
        2.53968238779428250e-02,
        1.15440428474797661e-02,
        5.32757497861391805e-03,
        2.49057922655707750e-03,
        1.14031363135676223e-03,
        7.14245150834101031e-04,
        -3.98123362856241700e-04,
        2.26305363251682245e-03,
        -5.36499566083547316e-03,
        1.09100146711660750e-02,
        -1.72138597107232040e-02,
        2.14282972232435025e-02,
        -2.06778304728358203e-02,
        1.52010344025963785e-02,
        -8.22766116623989234e-03,
        3.10087456688084434e-03,
        -7.28863031188373449e-04,
        8.12821364898014205e-05,
    };
    LK_REAL scale = 2.0 * LK_NAME(polynomial)(arc, 22, 1.0 - q[0]);

    for (int i = 0; i < 3; i++)
        theta[i] = scale * q[i + 1];
}

/* Compute r = D(theta) y = y + theta x y / 2 + c theta x (theta x y), c = (1 - t/2 cot(t/2)) / t^2
 * with t = |theta|: the transposed inverse of the right-trivialised tangent of exp. D(theta)
 * converts the momentum of the mean motion to the momentum at the start of the step, D(-theta) to
 * the momentum at its end. N. Bou-Rabee, J. E. Marsden, Hamilton-Pontryagin Integrators on Lie
 * Groups, Part I, 2009, sec. 4. */
LK_INLINE void LK_NAME(dexp_inverse)(const LK_REAL theta[3], const LK_REAL y[3], LK_REAL r[3])
{
    /* c on t^2 in [0, pi^2] */
    static const double dexpinv[] = {
        8.33333333333333235e-02,  1.38888888888927842e-03,  3.30687830662261828e-05,
        8.26719583311845000e-07,  2.08767481463780733e-08,  5.28426091175159130e-10,
        1.33788828165832620e-11,  3.40241013794726788e-13,  8.27936513332792134e-15,
        2.68969011237537242e-16,  -4.53447342841536650e-19, 6.00401877100039745e-19,
        -1.84824053764182738e-20, 6.24074114560492654e-22,
    };
    LK_REAL c = LK_NAME(polynomial)(dexpinv, 14, LK_NAME(inner)(theta, theta)), once[3], twice[3];

    LK_NAME(cross)(theta, y, once);
    LK_NAME(cross)(theta, once, twice);
    for (int i = 0; i < 3; i++)
        r[i] = y[i] + 0.5 * once[i] + c * twice[i];
}
