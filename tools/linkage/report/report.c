/* SPDX-License-Identifier: Apache-2.0 */
/* linkage report: options, and the output as HTML or PDF. */
#include "report.h"
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTACHED_MAX 16

extern char **environ;

/** struct options - @latency: folder of linkage-latency, whose table and picture are attached */
struct options {
    const char *path;
    const char *output;
    const char *attached[ATTACHED_MAX + 2];
    int n_attached;
    const char *latency;
};

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"attach", 'a', .list = o->attached, .n = &o->n_attached, .most = ATTACHED_MAX},
        {"latency", 'l', .text = &o->latency},
        {"help", 'h', .end = print_help},
        {NULL},
    };

    return parse_command(argc, argv, rows, "report takes one recording", &o->path);
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), n = strlen(end);

    return size > n && strcmp(text + size - n, end) == 0;
}

/* Print the page @html into the file @pdf by chromium. */
static bool print_pdf(const char *html, const char *pdf)
{
    char program[] = "chromium", headless[] = "--headless", sandbox[] = "--no-sandbox",
         head[] = "--no-pdf-header-footer", quiet[] = "--log-level=3";
    char to[PATH_MAX + 32], from[PATH_MAX + 16];
    char *arguments[] = {program, headless, sandbox, head, quiet, to, from, NULL};
    posix_spawn_file_actions_t actions;
    int status = 0, result;
    pid_t pid;

    snprintf(to, sizeof(to), "--print-to-pdf=%s", pdf);
    snprintf(from, sizeof(from), "file://%s", html);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    result = posix_spawnp(&pid, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) {
        complain("no PDF: chromium: %s; expected the package chromium, or an output .html",
                 strerror(result));
        return false;
    }
    while (waitpid(pid, &status, 0) != pid && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(pdf, R_OK) == 0)
        return true;
    complain("no PDF: chromium failed; expected an output .html, which any browser prints");
    return false;
}

/* Copy the file @from to the output @path. */
static bool copy_out(const char *from, const char *path)
{
    struct output *to = NULL;
    FILE *in = fopen(from, "re");
    int fault = in == NULL ? -errno : output_open(path, "%PDF", &to);
    char bytes[65536];
    size_t n;

    while (fault == 0 && (n = fread(bytes, 1, sizeof(bytes), in)) > 0)
        fwrite(bytes, 1, n, output_file(to));
    if (fault == 0)
        fault = output_close(to, true);
    if (in != NULL)
        fclose(in);
    return told_output(path, fault) == EXIT_DONE;
}

static bool save_html(const struct options *o, const struct recorded *file,
                      const struct gathered *g, const struct verdict *v, const char *path)
{
    struct output *to = NULL;
    int fault = output_open(path, OUTPUT_MARK_HTML, &to);
    bool good;

    if (told_output(path, fault) != EXIT_DONE)
        return false;
    good = write_page(output_file(to), file, g, v, o->attached, o->n_attached);
    return told_output(path, output_close(to, good)) == EXIT_DONE && good;
}

static bool save_pdf(const struct options *o, const struct recorded *file, const struct gathered *g,
                     const struct verdict *v)
{
    char folder[] = "/tmp/linkage-report-XXXXXX", html[64], pdf[64];
    bool good;
    int fault = output_check(o->output, "%PDF");

    if (told_output(o->output, fault) != EXIT_DONE)
        return false;
    if (mkdtemp(folder) == NULL) {
        complain("%s: %s", folder, strerror(errno));
        return false;
    }
    snprintf(html, sizeof(html), "%s/report.html", folder);
    snprintf(pdf, sizeof(pdf), "%s/report.pdf", folder);
    good = save_html(o, file, g, v, html) && print_pdf(html, pdf) && copy_out(pdf, o->output);
    unlink(html);
    unlink(pdf);
    rmdir(folder);
    return good;
}

/* Attach what linkage-latency left in its folder. */
static bool attach_latency(struct options *o, char (*paths)[PATH_MAX])
{
    static const char *const names[] = {"table.txt", "plot.png"};

    for (int i = 0; i < 2 && o->latency != NULL; i++) {
        if (snprintf(paths[i], PATH_MAX, "%s/%s", o->latency, names[i]) >= PATH_MAX ||
            (access(paths[i], R_OK) != 0 && i == 0)) {
            complain("%s: there is no %s of linkage-latency", o->latency, names[i]);
            return false;
        }
        if (access(paths[i], R_OK) == 0)
            o->attached[o->n_attached++] = paths[i];
    }
    return true;
}

int command_report(int argc, char *argv[])
{
    struct options o = {.output = "report.html"};
    char latency[2][PATH_MAX];
    struct gathered g = {0};
    struct recorded file;
    struct verdict v;
    int code = parse_options(argc, argv, &o);
    bool good;

    if (code != EXIT_DONE)
        return code;
    if (!ends_with(o.output, ".html") && !ends_with(o.output, ".pdf"))
        return usage_error("%s: expected a name that ends with .html or .pdf", o.output);
    if (!attach_latency(&o, latency) || !recorded_open(o.path, &file))
        return EXIT_REFUSED;
    good = gather(&file, &g);
    if (good) {
        judge(&g, &v);
        good = ends_with(o.output, ".pdf") ? save_pdf(&o, &file, &g, &v)
                                           : save_html(&o, &file, &g, &v, o.output);
    }
    if (good)
        printf("%s: %s in %zu cycles\n", o.output,
               v.is_met         ? "every deadline was met"
               : g.n_missed > 0 ? "NOT every deadline was met"
                                : "it is NOT shown that every deadline was met",
               g.n);
    for (int i = 0; i < v.n_against && good; i++)
        printf("  %s\n", v.against[i]);
    code = !good ? EXIT_REFUSED : v.is_met ? EXIT_DONE : EXIT_WARNED;
    gathered_fini(&g);
    recorded_close(&file);
    return code;
}
