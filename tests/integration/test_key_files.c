/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses at which a daemon may listen with and without keys, and its key files at the
 * start. */
#include "runs.h"
#include "vault.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

/* Check that a start is refused, with these words in its log. */
static void expect_refusal(const struct harness *h, const char *config_path, const char *words)
{
    char log[128];

    snprintf(log, sizeof(log), "%s/log2", h->folder);
    assert_int_equal(
        harness_wait(harness_spawn((const char *const[]){"--config", config_path, NULL}, log, -1),
                     PATIENCE_MS),
        1);
    assert_true(harness_log_has(h->folder, "log2", words));
    unlink(log);
    assert_int_equal(
        harness_wait(
            harness_spawn((const char *const[]){"--config", config_path, "--check", NULL}, log, -1),
            PATIENCE_MS),
        1);
    assert_true(harness_log_has(h->folder, "log2", words));
    unlink(log);
}

static void test_other_machines_need_keys(void **state)
{
    static const char *const addresses[] = {"0.0.0.0", "192.0.2.1", "10.0.0.1"};
    char path[128], folder[64], section[400];
    struct harness h = {.folder = "/tmp"};
    struct vault v;
    FILE *out;

    (void)state;
    vault_make_keys(&v);
    snprintf(folder, sizeof(folder), "%s", v.folder);
    memcpy(h.folder, folder, sizeof(h.folder));
    snprintf(path, sizeof(path), "%s/linkaged.yaml", folder);
    for (size_t i = 0; i < 3; i++) {
        out = fopen(path, "w");
        assert_non_null(out);
        fprintf(out, "linkaged: 1\nendpoints: {control: 'tcp://%s:15601'}\n", addresses[i]);
        fclose(out);
        expect_refusal(&h, path, "linkagectl keygen");
        expect_refusal(&h, path, "linkaged.yaml:2:22: tcp://");
    }
    /* with keys the address is allowed; this address, reserved for documentation, is on no
     * interface */
    vault_section(&v, section, sizeof(section));
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "linkaged: 1\nendpoints: {control: 'tcp://192.0.2.1:15601'}\n%s", section);
    fclose(out);
    snprintf(section, sizeof(section), "%s/log2", folder);
    assert_int_equal(
        harness_wait(
            harness_spawn((const char *const[]){"--config", path, "--check", NULL}, section, -1),
            PATIENCE_MS),
        0);
    unlink(section);
    unlink(path);
    vault_remove_keys(&v);
}

/* With keys the daemon listens on all interfaces. */
static void test_reachable_with_keys(void **state)
{
    char section[600];
    struct vault v;
    int port[3];

    (void)state;
    vault_make_keys(&v);
    vault_section(&v, section, sizeof(section));
    harness_open(&v.h, section);
    assert_int_equal(kill(v.h.pid, SIGTERM), 0);
    assert_int_equal(harness_wait(v.h.pid, PATIENCE_MS), 0);
    for (int i = 0; i < 3; i++) {
        port[i] = runs_free_port();
        snprintf(v.h.endpoint[i], sizeof(v.h.endpoint[i]), "tcp://0.0.0.0:%d", port[i]);
    }
    harness_write_config(&v.h, v.h.config, section);
    snprintf(section, sizeof(section), "%s/log", v.h.folder);
    v.h.pid =
        harness_spawn((const char *const[]){"--config", v.h.config, NULL}, section, v.h.notify_fd);
    harness_notice(&v.h, "READY=1");
    for (int i = 0; i < 3; i++)
        snprintf(v.h.endpoint[i], sizeof(v.h.endpoint[i]), "tcp://127.0.0.1:%d", port[i]);
    vault_become(&v, CONTROLLER);
    assert_int_equal(harness_command(&v.h, STATUS)->status->role, ROLE(CONTROL));
    vault_expect_silence(vault_connect(&v, ZMQ_DEALER, 0, STRANGER));
    assert_true(harness_log_has(v.h.folder, "log", " from 127.0.0.1 is not on the list"));
    vault_close(&v);
}

static void write_config(const struct vault *v, const char *path)
{
    struct harness h = {
        .endpoint = {"ipc://@linkaged-test-a", "ipc://@linkaged-test-b", "ipc://@linkaged-test-c"}};
    char section[400];

    vault_section(v, section, sizeof(section));
    harness_write_config(&h, path, section);
}

static void test_key_files_refused(void **state)
{
    char path[128], words[160];
    struct harness h = {0};
    struct vault v;

    (void)state;
    vault_make_keys(&v);
    memcpy(h.folder, v.folder, sizeof(h.folder));
    snprintf(path, sizeof(path), "%s/linkaged.yaml", v.folder);
    write_config(&v, path);

    chmod(v.secret_path, 0640);
    expect_refusal(&h, path, "others can read this secret key, expected mode 0600 (chmod 600)");
    chmod(v.secret_path, 0604);
    expect_refusal(&h, path, "others can read this secret key");
    if (geteuid() == 0) {
        chmod(v.secret_path, 0600);
        assert_int_equal(chown(v.secret_path, 4242, 0), 0);
        expect_refusal(&h, path, "belongs to user 4242, expected");
    }
    unlink(v.secret_path);
    expect_refusal(&h, path, "server.key: No such file");
    vault_write(v.secret_path, 0600, "# a comment\n\nshort\n");
    snprintf(words, sizeof(words), "%s:3: not a key", v.secret_path);
    expect_refusal(&h, path, words);
    vault_write(v.secret_path, 0600, v.server.secret);
    chmod(v.clients_path, 0666);
    expect_refusal(&h, path, "others can write to this file");
    chmod(v.clients_path, 0644);
    vault_write_clients(&v, "read reader *\n");
    snprintf(words, sizeof(words), "%s:6: not a public key", v.clients_path);
    expect_refusal(&h, path, words);
    unlink(path);
    vault_remove_keys(&v);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_machines_need_keys),
        cmocka_unit_test(test_reachable_with_keys),
        cmocka_unit_test(test_key_files_refused),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
