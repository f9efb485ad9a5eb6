/* SPDX-License-Identifier: Apache-2.0 */
/* keygen: creates the key files of a server or a client, without a daemon.
 *
 *     linkagectl keygen server FILE                     FILE, FILE.pub
 *     linkagectl keygen client NAME --role bench DIR    DIR/NAME.key, DIR/NAME.key.pub, and the
 *                                                       line for the daemon's list of clients
 *
 * A secret key is written only to its file, and no file is ever overwritten. */
#include "ctl.h"
#include "keys.h"
#include "linkage/file.h"
#include "linkage/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#define SUFFIX_PUBLIC ".pub"

struct pair {
    char public_key[LK_KEY_SIZE];
    char secret_key[LK_KEY_SIZE];
};

static int report_failure(const struct ctl_options *options, const char *path, const char *why)
{
    struct lk_error error;

    lk_error_set(&error, "%s: %s", path, why);
    return ctl_fail(options, &error);
}

/* Create a new file. If it cannot be written completely, it is removed. */
static int write_file(const struct ctl_options *options, const char *path, mode_t mode,
                      const char *text)
{
    size_t size = strlen(text);
    int fd = lk_file_create(path, mode);
    bool done;

    if (fd == -EEXIST)
        return report_failure(options, path, "exists; keys are never overwritten");
    if (fd < 0)
        return report_failure(options, path, strerror(-fd));
    /* Set the permissions independently of the umask: only the owner may read a secret key,
     * everybody may read a public key. */
    done = fchmod(fd, mode) == 0 && write(fd, text, size) == (ssize_t)size && fsync(fd) == 0;
    if (close(fd) == 0 && done)
        return CTL_OK;
    unlink(path);
    return report_failure(options, path, "could not be written");
}

static int write_pair(const struct ctl_options *options, const char *path, const char *whose,
                      const struct pair *pair)
{
    char text[256], public_path[PATH_MAX];
    int status, n;

    n = snprintf(public_path, sizeof(public_path), "%s" SUFFIX_PUBLIC, path);
    if (n >= (int)sizeof(public_path))
        return report_failure(options, path, "the path is too long");
    snprintf(text, sizeof(text), "# linkaged: secret key of %s, for nobody else\n%s\n", whose,
             pair->secret_key);
    status = write_file(options, path, 0600, text);
    explicit_bzero(text, sizeof(text));
    if (status != CTL_OK)
        return status;
    snprintf(text, sizeof(text), "# linkaged: public key of %s\n%s\n", whose, pair->public_key);
    status = write_file(options, public_path, 0644, text);
    if (status != CTL_OK)
        unlink(path);
    return status;
}

/* Print the paths of the key files as JSON.
 * @key, @value: a further property */
static void print_json(const char *path, const char *key, const char *value)
{
    struct lk_json json = {.file = stdout, .spaced = true};
    char public_path[PATH_MAX + sizeof(SUFFIX_PUBLIC)];

    snprintf(public_path, sizeof(public_path), "%s" SUFFIX_PUBLIC, path);
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "secret", path);
    lk_json_text(&json, "public", public_path);
    lk_json_text(&json, key, value);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

static int keygen_server(const struct ctl_options *options, const char *path,
                         const struct pair *pair)
{
    int status = write_pair(options, path, "a server", pair);

    if (status != CTL_OK)
        return status;
    if (options->json)
        print_json(path, "key", pair->public_key);
    else
        printf("%s: for the daemon alone (security: secret_key)\n"
               "%s" SUFFIX_PUBLIC ": for every client (--server-key)\n",
               path, path);
    return CTL_OK;
}

static int keygen_client(const struct ctl_options *options, const char *name, const char *folder,
                         const struct pair *pair)
{
    char path[PATH_MAX], line[256];
    int status;

    if (snprintf(path, sizeof(path), "%s/%s.key", folder, name) >= (int)sizeof(path))
        return report_failure(options, folder, "the path is too long");
    status = write_pair(options, path, name, pair);
    if (status != CTL_OK)
        return status;
    snprintf(line, sizeof(line), "%s %s %s", options->role, name, pair->public_key);
    if (options->json)
        print_json(path, "client", line);
    else
        printf("# %s: for this client alone (--key); the line for the daemon's list of clients:\n"
               "%s\n",
               path, line);
    return CTL_OK;
}

static bool is_role(const char *role)
{
    return role && (strcmp(role, "read") == 0 || strcmp(role, "bench") == 0 ||
                    strcmp(role, "control") == 0);
}

static int refuse_usage(const char *text)
{
    fprintf(stderr, "linkagectl: keygen: %s\ntry: linkagectl --help\n", text);
    return CTL_USAGE;
}

int ctl_keygen(const struct ctl_options *options, struct lk_client *client, int n, char **args)
{
    bool server = strcmp(args[0], "server") == 0, for_client = strcmp(args[0], "client") == 0;
    struct pair pair;
    int status;

    (void)client;
    if (!server && !for_client)
        return refuse_usage("expected server FILE, or client NAME --role ROLE DIR");
    if (server && (n != 2 || options->role))
        return refuse_usage("expected server FILE and no role");
    if (for_client && (n != 3 || !is_role(options->role)))
        return refuse_usage("expected client NAME --role read|bench|control DIR");
    if (for_client && !lk_key_name_is_valid(args[1], strlen(args[1])))
        return refuse_usage("a NAME has 1 to 63 letters, digits, '.', '_' or '-'");
    if (zmq_curve_keypair(pair.public_key, pair.secret_key))
        return report_failure(options, "keygen", "this machine's libzmq cannot encrypt (no CURVE)");
    status = server ? keygen_server(options, args[1], &pair)
                    : keygen_client(options, args[1], args[2], &pair);
    explicit_bzero(&pair, sizeof(pair));
    return status;
}
