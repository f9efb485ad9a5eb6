/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation in a child process. The child sends records to the parent: a letter, a size, and that
 * number of bytes. W: a warning of MuJoCo. E: an error of MuJoCo. w, e, s: a warning, an error, an
 * information of this program, each after a line number and a blank. M: the binary model. The
 * parent accepts the model only if the child has ended normally. */
#include "mjcf.h"
#include "mjcf_newer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX  60          /* limit of processor time [s] */
#define MEMORY_MAX   (4ul << 30) /* memory limit of the child */
#define RECORDS_MAX  (1u << 30)
#define WARNINGS_MAX 16
#define NAME         "linkage-import.xml" /* name of the text in MuJoCo's virtual file system */

/* ---- the child ---- */

static int report_fd;
static int n_warnings;

static void write_all(const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t n = write(report_fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(2);
        at += n;
        size -= (size_t)n;
    }
}

static void send_record(char kind, const void *data, size_t size)
{
    uint32_t length = (uint32_t)size;

    write_all(&kind, 1);
    write_all(&length, sizeof(length));
    write_all(data, size);
}

/* Handlers for messages of MuJoCo. The handler of errors must not return. */
static void take_error(const char *text)
{
    send_record('E', text, strlen(text));
    _exit(0);
}

static void take_warning(const char *text)
{
    if (n_warnings++ < WARNINGS_MAX)
        send_record('W', text, strlen(text));
}

/* Return the path of the file @name in the folder of @path, on the heap. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *ret = NULL;

    if (asprintf(&ret, "%.*s%s", slash != NULL ? (int)(slash - path) + 1 : 0, path, name) < 0)
        take_error("no memory");
    return ret;
}

/* Send a message of this program to the parent: an mjcf_newer_tell. */
static void tell_parent(char kind, long line, const char *format, ...)
{
    char text[500];
    int at = snprintf(text, sizeof(text), "%ld ", line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + at, sizeof(text) - (size_t)at, format, arguments);
    va_end(arguments);
    send_record(kind, text, strlen(text));
}

static mjVFS *make_files(const char *name, const void *data, size_t size)
{
    mjVFS *files = malloc(sizeof(*files));

    if (files == NULL)
        return NULL;
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, name, (int)size) != 0) {
        free(files);
        return NULL;
    }
    memcpy(files->filedata[0], data, size);
    return files;
}

static void limit_child(void)
{
    const struct rlimit seconds = {SECONDS_MAX, SECONDS_MAX}, no_core = {0, 0};

    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &no_core);
#ifdef LIMIT_ADDRESSES
    setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_MAX, MEMORY_MAX});
#endif
    alarm(2 * SECONDS_MAX); /* reading may block: a mesh file may be a pipe without a writer */
}

/* Load a text with MuJoCo.
 * Return: the model; NULL after an error of MuJoCo, which is in @error. */
static mjModel *load_text(const char *path, const char *text, size_t size, char error[1000])
{
    mjVFS *files = make_files(NAME, text, size);
    mjModel *model;

    if (files == NULL)
        take_error("no memory");
    error[0] = '\0';
    model = mj_loadXML(beside(path, NAME), files, error, 1000);
    if (model != NULL && error[0] != '\0')
        take_warning(error);
    return model;
}

/* Load a refused file again without elements of later versions.
 * @error: error of MuJoCo */
static mjModel *load_newer(const char *path, const xmlNode *root, char error[1000])
{
    char *text;
    size_t size;
    mjModel *model;

    switch (mjcf_without_newer(root, beside(path, ""), tell_parent, &text, &size)) {
    case MJCF_REFUSED:
        _exit(0);
    case MJCF_NOT_NEWER:
        take_error(error);
        return NULL;
    default:
        break;
    }
    model = load_text(path, text, size, error);
    if (model == NULL) {
        error[strcspn(error, "\n")] = '\0'; /* remove line numbers, which are wrong */
        tell_parent('e', 0, "MuJoCo %s, without that: %s", mj_versionString(), error);
        _exit(0);
    }
    return model;
}

static void compile_in_child(const char *path, const char *text, size_t size, const xmlNode *root)
{
    int nothing = open("/dev/null", O_RDWR);
    char error[1000] = "";
    mjModel *model;
    void *binary;

    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    limit_child();
    mju_user_error = take_error;
    mju_user_warning = take_warning;
    model = load_text(path, text, size, error);
    if (model == NULL)
        model = load_newer(path, root, error);
    binary = malloc((size_t)mj_sizeModel(model));
    if (binary == NULL)
        take_error("no memory");
    mj_saveModel(model, NULL, binary, mj_sizeModel(model));
    send_record('M', binary, (size_t)mj_sizeModel(model));
}

/* ---- the parent ---- */

/* Report a multi-line message of MuJoCo as one line, at the line of the file that it names. */
static void tell(struct notes *notes, enum note_kind kind, const char *text, size_t size)
{
    char line[300];
    const char *number;
    size_t n = 0;

    for (size_t i = 0; i < size && n < sizeof(line) - 1; i++)
        if (text[i] != '\n')
            line[n++] = text[i];
        else if (i + 1 < size && n > 0 && n < sizeof(line) - 2) {
            line[n++] = ',';
            line[n++] = ' ';
        }
    line[n] = '\0';
    number = strcasestr(line, "line ");
    number = number != NULL ? number + strcspn(number, "0123456789") : line + n;
    note(notes, kind, strtol(number, NULL, 10), "MuJoCo %s: %s", mj_versionString(), line);
}

/* Convert a record of tell_parent() to a note. */
static void tell_ours(struct notes *notes, char kind, const char *text, size_t size)
{
    char copy[500], *end;
    long line;

    snprintf(copy, sizeof(copy), "%.*s", (int)size, text);
    line = strtol(copy, &end, 10);
    note(notes,
         kind == 'e'   ? NOTE_ERROR
         : kind == 'w' ? NOTE_WRONG
                       : NOTE_SAID,
         line, "%s", end + (*end == ' '));
}

/* Read @fd to its end.
 * Return: the data, to be freed; NULL: too much data, or no memory. */
static char *read_all(int fd, size_t *ret_size)
{
    size_t room = 1u << 16, size = 0;
    char *data = malloc(room);

    while (data != NULL) {
        ssize_t n = read(fd, data + size, room - size);
        char *more;

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        size += (size_t)n;
        if (size < room)
            continue;
        room *= 2;
        more = room <= RECORDS_MAX ? realloc(data, room) : NULL;
        if (more == NULL)
            free(data);
        data = more;
    }
    *ret_size = size;
    return data;
}

static mjModel *load_binary(const char *data, size_t size)
{
    mjVFS *files = make_files("linkage-import.mjb", data, size);
    mjModel *model = NULL;

    if (files != NULL) {
        model = mj_loadModel("linkage-import.mjb", files);
        mj_deleteVFS(files);
    }
    free(files);
    return model;
}

static mjModel *take_records(const char *data, size_t size, struct notes *notes)
{
    mjModel *model = NULL;
    size_t at = 0;

    while (model == NULL && size - at >= 5) {
        char kind = data[at];
        uint32_t length;

        memcpy(&length, data + at + 1, sizeof(length));
        at += 5;
        if (length > size - at)
            break;
        if (kind == 'M')
            model = load_binary(data + at, length);
        else if (strchr("ews", kind) != NULL)
            tell_ours(notes, kind, data + at, length);
        else
            tell(notes, kind == 'E' ? NOTE_ERROR : NOTE_WRONG, data + at, length);
        at += length;
    }
    return model;
}

static mjModel *take_report(int fd, pid_t child, struct notes *notes)
{
    size_t size = 0;
    char *data = read_all(fd, &size);
    mjModel *model = NULL;
    int status = 0;

    close(fd); /* a child that still writes ends with SIGPIPE */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (data != NULL && WIFEXITED(status))
        model = take_records(data, size, notes);
    if (model == NULL && notes->n_errors == 0) {
        if (data == NULL)
            note(notes, NOTE_ERROR, 0, "what MuJoCo makes of the file needs more than %u MiB",
                 RECORDS_MAX >> 20);
        else if (WIFSIGNALED(status))
            note(notes, NOTE_ERROR, 0, "MuJoCo did not survive the file: %s",
                 strsignal(WTERMSIG(status)));
        else
            note(notes, NOTE_ERROR, 0, "MuJoCo ended without a word, status %d",
                 WEXITSTATUS(status));
    }
    free(data);
    return model;
}

mjModel *mjcf_compile(const char *path, const char *text, size_t size, const xmlNode *root,
                      struct notes *notes)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        note(notes, NOTE_ERROR, 0, "%s", strerror(errno));
        return NULL;
    }
    fflush(NULL);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        report_fd = ends[1];
        compile_in_child(path, text, size, root);
        _exit(0);
    }
    close(ends[1]);
    if (child < 0) {
        note(notes, NOTE_ERROR, 0, "%s", strerror(errno));
        close(ends[0]);
        return NULL;
    }
    return take_report(ends[0], child, notes);
}
