/* SPDX-License-Identifier: Apache-2.0 */
/* The findings as text and as JSON. */
#include "doctor.h"
#include "linkage/json.h"
#include "linkage/version.h"
#include "tone.h"

#include <string.h>

#define INDENT 25 /* columns before a value */
#define WIDTH  100

static const char *const verdict_names[DOCTOR_VERDICTS] = {[DOCTOR_OK] = "ok",
                                                           [DOCTOR_WARN] = "warn",
                                                           [DOCTOR_FAIL] = "fail",
                                                           [DOCTOR_NOT_KNOWN] = "unknown"};

static const enum tone tones[DOCTOR_VERDICTS] = {[DOCTOR_OK] = TONE_GOOD,
                                                 [DOCTOR_WARN] = TONE_WARNING,
                                                 [DOCTOR_FAIL] = TONE_ERROR,
                                                 [DOCTOR_NOT_KNOWN] = TONE_PLAIN};

static const char *fitness(const struct doctor *doctor, const int counts[DOCTOR_VERDICTS])
{
    if (counts[DOCTOR_FAIL] > 0 || doctor_is_refused(doctor))
        return "not fit";
    if (counts[DOCTOR_OK] + counts[DOCTOR_WARN] == 0)
        return "nothing is known";
    return counts[DOCTOR_WARN] > 0 ? "fit with reservations" : "fit";
}

/* Print the words of @text in lines of WIDTH columns with a common indent. */
static void print_wrapped(FILE *file, const char *text)
{
    int column = INDENT;

    while (*text != '\0') {
        int n = (int)strcspn(text, " ");

        if (column > INDENT && column + 1 + n > WIDTH) {
            fprintf(file, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            putc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    putc('\n', file);
}

/* Print a finding. The remedy is not broken into lines, so that it can be copied. */
static void print_finding(FILE *file, const struct doctor_finding *f)
{
    fprintf(file, "%s%-8s%s %-15s ", tone_begin(file, tones[f->verdict]), verdict_names[f->verdict],
            tone_end(file), f->check->id);
    print_wrapped(file, f->value);
    if (f->cost[0] != '\0') {
        fprintf(file, "%*s", INDENT, "costs: ");
        print_wrapped(file, f->cost);
    }
    if (f->remedy[0] != '\0')
        fprintf(file, "%*s%s\n", INDENT, "mend: ", f->remedy);
}

static bool is_shown(const struct doctor *doctor, const struct doctor_finding *f)
{
    return !doctor->options->quiet || f->verdict != DOCTOR_OK;
}

static void print_machine(FILE *file, const struct doctor *doctor)
{
    const struct lk_host *host = &doctor->host;

    if (doctor->root[0] != '\0')
        fprintf(file, "root     %s: read only, nothing is tried\n", doctor->root);
    fprintf(file, "machine  %s, %s\n", host->processor[0] != '\0' ? host->processor : "unknown",
            host->kernel[0] != '\0' ? host->kernel : "unknown kernel");
    fprintf(file, "judged   core %s of ", doctor->cores_text);
    if (host->n_cpus > 0)
        fprintf(file, "%d", host->n_cpus);
    else
        fputs("an unknown number", file);
    fprintf(file, ", for priority %d\n\n", doctor->options->priority);
}

/* Print the boot parameters of several checks together, so that they can be set at once. */
static void print_boot(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings)
{
    static const char *const ids[] = {"isolated", "nohz_full", "rcu_nocbs", "irq_default"};
    int n = 0;

    for (int i = 0; i < doctor_n_checks; i++)
        for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++)
            n += strcmp(findings[i].check->id, ids[k]) == 0 && findings[i].verdict == DOCTOR_WARN;
    if (n > 1)
        fprintf(file,
                "\nall in one: isolcpus=domain,managed_irq,%s nohz_full=%s rcu_nocbs=%s "
                "irqaffinity=%s\n",
                doctor->cores_text, doctor->cores_text, doctor->cores_text, doctor->others_text);
}

void doctor_print_text(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings)
{
    int counts[DOCTOR_VERDICTS];

    if (!doctor->options->quiet)
        print_machine(file, doctor);
    for (int i = 0; i < doctor_n_checks; i++)
        if (is_shown(doctor, &findings[i]))
            print_finding(file, &findings[i]);
    if (!doctor->options->quiet)
        print_boot(file, doctor, findings);
    doctor_count(findings, counts);
    fprintf(file, "%s%d ok, %d warn, %d fail, %d unknown: %s\n", doctor->options->quiet ? "" : "\n",
            counts[DOCTOR_OK], counts[DOCTOR_WARN], counts[DOCTOR_FAIL], counts[DOCTOR_NOT_KNOWN],
            fitness(doctor, counts));
    doctor_print_daemon(file, doctor);
}

static const char *known_name(enum lk_host_known known)
{
    return known == LK_HOST_YES ? "yes" : known == LK_HOST_NO ? "no" : "unknown";
}

static void write_host(struct lk_json *json, const struct lk_host *host)
{
    char list[DOCTOR_LIST];

    lk_json_open(json, "host", '{');
    lk_json_text(json, "kernel", host->kernel);
    lk_json_text(json, "processor", host->processor);
    lk_json_count(json, "processors", host->n_cpus > 0 ? (uint64_t)host->n_cpus : 0);
    lk_json_text(json, "realtime", known_name(host->realtime));
    lk_json_text(json, "virtual_machine", known_name(host->virtual_machine));
    lk_host_format_cpus(&host->isolated, list, sizeof(list));
    lk_json_text(json, "isolated", list);
    lk_host_format_cpus(&host->nohz_full, list, sizeof(list));
    lk_json_text(json, "nohz_full", list);
    lk_json_text(json, "clocksource", host->clocksource);
    lk_json_close(json, '}');
}

static void write_spins(struct lk_json *json, const struct doctor_probes *probes)
{
    lk_json_open(json, "spins", '[');
    for (int i = 0; i < probes->n_spins; i++) {
        const struct doctor_spin *s = &probes->spins[i];

        if (s->error != 0)
            continue;
        lk_json_open(json, NULL, '{');
        lk_json_count(json, "core", (uint64_t)s->core);
        lk_json_number(json, "seconds", s->seconds);
        lk_json_number(json, "largest_s", s->largest_s);
        lk_json_count(json, "gaps", (uint64_t)s->gaps);
        lk_json_count(json, "throttles", (uint64_t)s->throttles);
        lk_json_count(json, "preempted", (uint64_t)s->preempted);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void write_finding(struct lk_json *json, const struct doctor_finding *f)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "id", f->check->id);
    lk_json_text(json, "title", f->check->title);
    lk_json_text(json, "verdict", verdict_names[f->verdict]);
    lk_json_text(json, "value", f->value);
    lk_json_text(json, "cost", f->cost);
    lk_json_text(json, "remedy", f->remedy);
    lk_json_close(json, '}');
}

void doctor_print_json(FILE *file, const struct doctor *doctor,
                       const struct doctor_finding *findings)
{
    struct lk_json json = {.file = file};
    int counts[DOCTOR_VERDICTS];

    doctor_count(findings, counts);
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "version", LK_VERSION);
    write_host(&json, &doctor->host);
    lk_json_text(&json, "cores", doctor->cores_text);
    lk_json_count(&json, "priority", (uint64_t)doctor->options->priority);
    lk_json_open(&json, "checks", '[');
    for (int i = 0; i < doctor_n_checks; i++)
        if (is_shown(doctor, &findings[i]))
            write_finding(&json, &findings[i]);
    lk_json_close(&json, ']');
    write_spins(&json, &doctor->probes);
    lk_json_open(&json, "counts", '{');
    for (int i = 0; i < DOCTOR_VERDICTS; i++)
        lk_json_count(&json, verdict_names[i], (uint64_t)counts[i]);
    lk_json_close(&json, '}');
    lk_json_text(&json, "verdict", fitness(doctor, counts));
    lk_json_bool(&json, "daemon_refuses", doctor_is_refused(doctor));
    lk_json_open(&json, "degraded", '[');
    for (int i = 0; i < doctor->lacks.n; i++)
        lk_json_text(&json, NULL, doctor->lacks.text[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
