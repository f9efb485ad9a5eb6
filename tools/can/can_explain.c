/* SPDX-License-Identifier: Apache-2.0 */
#include "can_explain.h"

#include <math.h>
#include <string.h>

/* Return the next significant character of a unit. "Nm", "N m" and "N*m" are equal, and 1 means no
 * unit. */
static const char *next_of_unit(const char *at)
{
    while (*at == ' ' || *at == '*' || *at == '-' || (at[0] == '1' && at[1] == '\0'))
        at++;
    return at;
}

static bool is_same_unit(const char *a, const char *b)
{
    if (strcmp(b, "1") == 0)
        b = "";
    for (a = next_of_unit(a), b = next_of_unit(b); *a != '\0' && *a == *b;
         a = next_of_unit(a + 1), b = next_of_unit(b + 1))
        ;
    return *a == *b;
}

static const struct can_scalar *scalar_of(const struct can_plan *plan, const struct can_message *cm,
                                          const struct can_item *item)
{
    const struct can_side *side = cm->is_sent ? &plan->channels->output : &plan->channels->input;

    return &side->scalar[item->scalar];
}

/* Compute the range of the signal, converted to values of the channel. */
static void find_range(const struct dbc_signal *s, const struct can_item *item, double *ret_low,
                       double *ret_high)
{
    double a = (s->low - item->offset) / item->factor, b = (s->high - item->offset) / item->factor;

    *ret_low = fmin(a, b);
    *ret_high = fmax(a, b);
}

/* ---- messages ---- */

static void print_head(const struct can_plan *plan, const struct can_message *cm, FILE *to)
{
    const struct dbc_message *m = &plan->dbc->message[cm->message];
    const struct dbc_signal *s = plan->dbc->signal;

    fprintf(to, "%s %s: identifier 0x%x%s, %d bytes%s", cm->is_sent ? "sent" : "received",
            dbc_message_name(m), m->id, m->is_extended ? " (29 bits)" : "", m->bytes,
            m->is_fd ? ", CAN FD" : "");
    if (cm->is_sent)
        fprintf(to, ", every %g ms", 1000 * cm->cycle_s);
    if (cm->counter >= 0)
        fprintf(to, ", counter %s to %llu", s[cm->counter].name, (unsigned long long)cm->top);
    if (cm->checksum >= 0)
        fprintf(to, ", checksum %s (%s)", s[cm->checksum].name, can_checksum_names[cm->kind]);
    fputc('\n', to);
}

static void print_item(const struct can_plan *plan, const struct can_message *cm,
                       const struct can_item *item, FILE *to)
{
    static const char *const kinds[] = {"", ", float", ", double"};
    const struct dbc_signal *s = &plan->dbc->signal[item->signal];
    const struct can_scalar *c = scalar_of(plan, cm, item);
    char name[2 * CAN_CHANNEL_SIZE + 2];

    can_scalar_name(c, name, sizeof(name));
    fprintf(to, "  %-24s %s %-24s [%s]", dbc_signal_name(s), cm->is_sent ? "<-" : "->", name,
            c->unit);
    if (!is_same_unit(s->unit, c->unit))
        fprintf(to, " as [%s]", s->unit);
    if (item->is_converted || item->offset != 0)
        fprintf(to, ", signal = channel %g + %g", item->factor, item->offset);
    fprintf(to, ", raw %d bits%s, factor %g, offset %g", s->bits, kinds[s->kind], s->factor,
            s->offset);
    if (s->low < s->high)
        fprintf(to, ", %g to %g", s->low, s->high);
    if (!cm->is_sent && (isfinite(c->low) || isfinite(c->high)))
        fprintf(to, ", limits %g to %g", c->low, c->high);
    if (item->outside == (cm->is_sent ? CAN_REFUSE : CAN_SATURATE))
        fprintf(to, ", %s outside", cm->is_sent ? "not sent" : "saturated");
    if (s->role == DBC_SELECTED)
        fprintf(to, ", where %s is %u",
                plan->dbc->signal[plan->dbc->message[cm->message].selector].name, s->selection);
    fputc('\n', to);
}

static int warn_of_item(const struct can_plan *plan, const struct can_message *cm,
                        const struct can_item *item, FILE *to)
{
    const struct dbc_signal *s = &plan->dbc->signal[item->signal];
    const struct can_scalar *c = scalar_of(plan, cm, item);
    double low, high;
    int n = 0;

    if (!item->is_converted && !is_same_unit(s->unit, c->unit)) {
        fprintf(to,
                "warning: %s:%d:%d: '%s' is in [%s], its channel in [%s]; expected the same, or a "
                "factor in the map\n",
                plan->dbc->name, s->line, s->column, s->name, s->unit, c->unit);
        n++;
    }
    find_range(s, item, &low, &high);
    if (!cm->is_sent && s->low < s->high && (low < c->low || high > c->high)) {
        fprintf(to,
                "warning: %s:%d:%d: '%s' reaches from %g to %g, the limits of '%s' are %g to %g: "
                "what is beyond is %s\n",
                plan->dbc->name, s->line, s->column, s->name, low, high, c->name, c->low, c->high,
                item->outside == CAN_SATURATE ? "saturated" : "refused");
        n++;
    }
    return n;
}

/* ---- unused signals and inputs ---- */

static const struct can_message *find_planned(const struct can_plan *plan, int message)
{
    for (int i = 0; i < plan->n_messages; i++)
        if (plan->message[i].message == message)
            return &plan->message[i];
    return NULL;
}

int can_list_unused(const struct can_plan *plan, bool is_sent, char *ret, size_t size)
{
    const struct dbc *dbc = plan->dbc;
    size_t used = 0;
    int n = 0;

    ret[0] = '\0';
    for (int i = 0; i < dbc->n_messages; i++) {
        const struct dbc_message *m = &dbc->message[i];
        const struct can_message *cm = find_planned(plan, i);

        if ((cm != NULL && cm->is_sent) != is_sent || m->passed_over != NULL)
            continue;
        for (int k = m->signal; k < m->signal + m->n_signals; k++) {
            if (plan->is_used[k])
                continue;
            if (used + 2 < size)
                used += (size_t)snprintf(ret + used, size - used, "%s%s.%s", n > 0 ? ", " : "",
                                         dbc_message_name(m), dbc_signal_name(&dbc->signal[k]));
            n++;
        }
    }
    return n;
}

static void print_unused(const struct can_plan *plan, FILE *to)
{
    static char text[1 << 16];
    int n = can_list_unused(plan, true, text, sizeof(text));

    if (n > 0)
        fprintf(to, "sent without a channel, as GenSigStartValue or 0 (%d): %s\n", n, text);
    n = can_list_unused(plan, false, text, sizeof(text));
    if (n > 0)
        fprintf(to, "not received, without a channel (%d): %s\n", n, text);
    for (int i = 0; i < plan->dbc->n_messages; i++) {
        const struct dbc_message *m = &plan->dbc->message[i];

        if (m->passed_over != NULL)
            fprintf(to, "passed over: %s: %s\n",
                    *m->name != '\0' ? dbc_message_name(m) : "a message without a name",
                    m->mistake != NULL ? m->mistake : m->passed_over);
    }
    for (int i = 0; i < plan->dbc->n_notes; i++)
        fprintf(to, "without effect: %s\n", plan->dbc->note[i]);
}

static void print_inputs(const struct can_plan *plan, FILE *to)
{
    const struct can_side *inputs = &plan->channels->input;
    int n = 0;

    for (int i = 0; i < inputs->n; i++) {
        bool is_set = false;
        char name[2 * CAN_CHANNEL_SIZE + 2];

        for (int m = 0; m < plan->n_messages; m++)
            for (int k = 0; k < plan->message[m].n_items && !plan->message[m].is_sent; k++)
                is_set = is_set || plan->item[plan->message[m].item + k].scalar == i;
        if (is_set)
            continue;
        can_scalar_name(&inputs->scalar[i], name, sizeof(name));
        fprintf(to, "%s%s", n++ > 0 ? ", " : "inputs without a signal: ", name);
    }
    if (n > 0)
        fputc('\n', to);
}

int can_explain(const struct can_plan *plan, FILE *to)
{
    int warnings = 0;

    for (int i = 0; i < plan->n_messages; i++) {
        print_head(plan, &plan->message[i], to);
        for (int k = 0; k < plan->message[i].n_items; k++)
            print_item(plan, &plan->message[i], &plan->item[plan->message[i].item + k], to);
    }
    if (plan->n_messages == 0)
        fputs("no message is sent or received\n", to);
    print_unused(plan, to);
    print_inputs(plan, to);
    for (int i = 0; i < plan->n_messages; i++)
        for (int k = 0; k < plan->message[i].n_items; k++)
            warnings +=
                warn_of_item(plan, &plan->message[i], &plan->item[plan->message[i].item + k], to);
    return warnings;
}
