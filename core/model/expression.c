/* SPDX-License-Identifier: Apache-2.0 */
/* The shunting-yard algorithm (E. W. Dijkstra, ALGOL 60 translation, 1961): operators wait on a
 * stack until one of lower precedence follows; values are on a second stack. */
#include "expression.h"
#include "linkage/error.h"
#include "maths/arithmetic.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum operator{ ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, PLUS, POWER, BRACKET, CALL };

/* struct function - @one: of one argument;  @two: of two, or NULL;  @folds: @two is applied to two
 * or more arguments, one after the other */
static const struct function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    bool folds;
} functions[] = {
    {"sqrt", .one = sqrt},
    {"sin", .one = sin},
    {"cos", .one = cos},
    {"tan", .one = tan},
    {"asin", .one = asin},
    {"acos", .one = acos},
    {"atan", .one = atan},
    {"abs", .one = fabs},
    {"min", .two = fmin, .folds = true},
    {"max", .two = fmax, .folds = true},
    {"atan2", .two = atan2},
    {"hypot", .two = hypot},
};

#define N_FUNCTIONS (int)(sizeof(functions) / sizeof(functions[0]))

/* struct waiting - an operator that waits. @function: of CALL; @n: its arguments so far */
struct waiting {
    enum operator op;
    int function;
    int n;
};

/* struct machine - state of the evaluation. @expects: a value must follow;  @is_finite: all values
 * so far were finite, those of brackets and arguments included */
struct machine {
    const char *text;
    const char *at;
    locale_t c_locale;
    const struct lk_expression_names *names;
    struct waiting operator[LK_EXPRESSION_DEPTH];
    double value[LK_EXPRESSION_DEPTH];
    int n_operators;
    int n_values;
    bool expects;
    bool is_finite;
    const char *why;
};

static int refuse(struct machine *m, const char *why)
{
    m->why = why;
    return LK_E_TEXT;
}

static int precedence(enum operator op)
{
    return op == ADD || op == SUBTRACT      ? 1
           : op == MULTIPLY || op == DIVIDE ? 2
           : op == NEGATE || op == PLUS     ? 3
           : op == POWER                    ? 4
                                            : 0;
}

/* Put a value on the stack, which has room for it. */
static void put_value(struct machine *m, double value)
{
    m->value[m->n_values++] = value;
    m->is_finite &= isfinite(value) != 0;
}

static int push_value(struct machine *m, double value)
{
    if (m->n_values == LK_EXPRESSION_DEPTH)
        return refuse(m, "too many values at a time");
    put_value(m, value);
    m->expects = false;
    return 0;
}

static int push_operator(struct machine *m, enum operator op, int function)
{
    if (m->n_operators == LK_EXPRESSION_DEPTH)
        return refuse(m, "nested too deeply");
    m->operator[m->n_operators++] =(struct waiting){op, function, 1};
    m->expects = true;
    return 0;
}

static double apply(enum operator op, double a, double b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    default:
        return pow(a, b);
    }
}

/* Apply the operator on top of the stack, which must not be a bracket. The stack of values has its
 * arguments: a binary operator is only pushed after a value, and reduced after another one. */
static void reduce(struct machine *m)
{
    enum operator op = m->operator[--m->n_operators].op;
    double b = m->value[--m->n_values];

    if (op == NEGATE || op == PLUS)
        put_value(m, op == NEGATE ? -b : b);
    else
        put_value(m, apply(op, m->value[--m->n_values], b));
}

/* Apply the operators that bind at least as strongly as @least. */
static void reduce_to(struct machine *m, int least)
{
    while (m->n_operators > 0 && precedence(m->operator[m->n_operators - 1].op) >= least)
        reduce(m);
}

/* Return whether a function takes @n arguments. */
static bool takes(const struct function *f, int n)
{
    return f->one != NULL ? n == 1 : f->folds ? n >= 2 : n == 2;
}

static double call(const struct function *f, const double *a, int n)
{
    double result = f->one != NULL ? f->one(a[0]) : a[0];

    for (int i = 1; i < n; i++)
        result = f->two(result, a[i]);
    return result;
}

static int close_bracket(struct machine *m)
{
    const struct waiting *open;

    if (m->expects)
        return refuse(m, "a value is missing");
    reduce_to(m, 1);
    if (m->n_operators == 0)
        return refuse(m, "a bracket closes that was not opened");
    open = &m->operator[--m->n_operators];
    if (open->op == CALL) {
        const struct function *f = &functions[open->function];

        if (!takes(f, open->n))
            return refuse(m, "the function takes another number of values");
        m->n_values -= open->n;
        put_value(m, call(f, m->value + m->n_values, open->n));
    }
    return 0;
}

static int take_comma(struct machine *m)
{
    if (m->expects)
        return refuse(m, "a value is missing");
    reduce_to(m, 1);
    if (m->n_operators == 0 || m->operator[m->n_operators - 1].op != CALL)
        return refuse(m, "a comma outside of a function");
    m->operator[m->n_operators - 1].n++;
    m->expects = true;
    return 0;
}

static int take_number(struct machine *m)
{
    size_t n = strspn(m->at, "0123456789.");
    char text[64], *end;
    double value;

    if (m->at[n] == 'e' || m->at[n] == 'E') {
        n++;
        n += m->at[n] == '+' || m->at[n] == '-';
        n += strspn(m->at + n, "0123456789");
    }
    if (n >= sizeof(text))
        return refuse(m, "a number of too many digits");
    memcpy(text, m->at, n);
    text[n] = '\0';
    value = strtod_l(text, &end, m->c_locale);
    if (*end != '\0' || end == text)
        return refuse(m, "this is no number");
    m->at += n;
    return push_value(m, value);
}

static size_t name_size(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

static int find_function(const char *name, size_t size)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strlen(functions[i].name) == size && strncmp(functions[i].name, name, size) == 0)
            return i;
    return -1;
}

static int take_name(struct machine *m)
{
    size_t n = name_size(m->at);
    double value = M_PI;
    int result = 0;

    if (m->at[n] == '(') {
        int function = find_function(m->at, n);

        if (function < 0)
            return refuse(m, "there is no such function, expected sqrt, sin, cos, tan, asin, acos, "
                             "atan, atan2, abs, min, max or hypot");
        m->at += n + 1;
        return push_operator(m, CALL, function);
    }
    while (m->at[n] == '.' && n < LK_EXPRESSION_MAX)
        n += 1 + name_size(m->at + n + 1);
    if (n != 2 || strncmp(m->at, "pi", 2) != 0)
        result = m->names->find(m->names->data, m->at, n, &value);
    if (result != 0)
        return result;
    m->at += n;
    return push_value(m, value);
}

static int take_value(struct machine *m)
{
    char c = *m->at;

    if (isdigit((unsigned char)c) || c == '.')
        return take_number(m);
    if (isalpha((unsigned char)c) || c == '_')
        return take_name(m);
    m->at++;
    if (c == '(')
        return push_operator(m, BRACKET, 0);
    if (c == '-' || c == '+')
        return push_operator(m, c == '-' ? NEGATE : PLUS, 0);
    m->at--;
    return refuse(m, "a value is missing");
}

static int take_operator(struct machine *m)
{
    static const char signs[] = "+-*/";
    const char *sign = strchr(signs, *m->at);
    char c = *m->at;

    if (c == '^') {
        m->at++;
        return push_operator(m, POWER, 0);
    }
    if (sign == NULL && c != ')' && c != ',')
        return refuse(m, "an operator is missing");
    m->at++;
    if (sign == NULL)
        return c == ')' ? close_bracket(m) : take_comma(m);
    reduce_to(m, precedence((enum operator)(sign - signs)));
    return push_operator(m, (enum operator)(sign - signs), 0);
}

static int take_all(struct machine *m)
{
    int result = 0;

    if (strlen(m->text) > LK_EXPRESSION_MAX)
        return refuse(m, "longer than 512 bytes");
    while (result == 0) {
        while (*m->at == ' ')
            m->at++;
        if (*m->at == '\0')
            break;
        result = m->expects ? take_value(m) : take_operator(m);
    }
    if (result != 0)
        return result;
    if (m->expects)
        return refuse(m, "a value is missing");
    reduce_to(m, 1);
    return m->n_operators > 0 ? refuse(m, "a bracket is not closed") : 0;
}

int lk_expression(const char *text, locale_t c_locale, const struct lk_expression_names *names,
                  double *ret, const char **ret_why, size_t *ret_at)
{
    LK_ARITHMETIC;
    struct machine m = {.text = text,
                        .at = text,
                        .c_locale = c_locale,
                        .names = names,
                        .expects = true,
                        .is_finite = true};
    int result = take_all(&m);

    if (result == 0 && !m.is_finite) /* also where a function hides it: max(sqrt(-1), 0) */
        result =
            refuse(&m, "a value in it is not finite: a division by 0, or a root or an arc of a "
                       "number out of range");
    *ret_why = m.why;
    *ret_at = (size_t)(m.at - text);
    if (result == 0)
        *ret = m.value[0];
    return result;
}
