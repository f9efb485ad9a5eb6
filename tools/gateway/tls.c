/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 256

static bool is_loopback(const char *address)
{
    return strcmp(address, "127.0.0.1") == 0 || strcmp(address, "::1") == 0 ||
           strcmp(address, "lo") == 0 || strcmp(address, "localhost") == 0;
}

static int check_file(const char *path, bool is_secret, struct lk_error *ret_error)
{
    struct stat about;

    if (path == NULL)
        return 0;
    if (access(path, R_OK) != 0 || stat(path, &about) != 0) {
        lk_error_set(ret_error, "%s: %s", path, strerror(errno));
        return 1;
    }
    if (is_secret && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        lk_error_set(ret_error, "%s: others may read this key; chmod 600 it", path);
        return 1;
    }
    return 0;
}

int tls_check(const struct gate_options *options, struct lk_error *ret_error)
{
    if ((options->tls_cert != NULL) != (options->tls_key != NULL)) {
        lk_error_set(ret_error, "--tls-cert and --tls-key belong together");
        return 2;
    }
    if (options->tls_clients != NULL && options->tls_cert == NULL) {
        lk_error_set(ret_error, "--tls-clients needs --tls-cert and --tls-key");
        return 2;
    }
    if (options->n_operators > 0 && options->tls_clients == NULL) {
        lk_error_set(ret_error, "--operator names a certificate: it needs --tls-clients");
        return 2;
    }
    if (!is_loopback(options->address) && options->tls_clients == NULL) {
        lk_error_set(ret_error,
                     "--address %s is reached by others: it needs --tls-cert, --tls-key and "
                     "--tls-clients",
                     options->address);
        return 2;
    }
    if (check_file(options->tls_cert, false, ret_error) != 0 ||
        check_file(options->tls_key, true, ret_error) != 0 ||
        check_file(options->tls_clients, false, ret_error) != 0)
        return 1;
    return 0;
}

void tls_fill(const struct gate_options *options, struct lws_context_creation_info *info)
{
    if (options->tls_cert == NULL)
        return;
    info->ssl_cert_filepath = options->tls_cert;
    info->ssl_private_key_filepath = options->tls_key;
    info->alpn = "http/1.1";
    info->options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    if (options->tls_clients == NULL)
        return;
    info->ssl_ca_filepath = options->tls_clients;
    info->options |= LWS_SERVER_OPTION_REQUIRE_VALID_OPENSSL_CLIENT_CERT;
}

enum page_role tls_role(const struct gate_options *options, struct lws *wsi)
{
    union {
        union lws_tls_cert_info_results info;
        char room[sizeof(union lws_tls_cert_info_results) + NAME_SIZE];
    } of;

    if (options->tls_clients == NULL ||
        lws_tls_peer_cert_info(wsi, LWS_TLS_CERT_INFO_VERIFIED, &of.info, 0) != 0 ||
        of.info.verified == 0)
        return PAGE_NOBODY;
    if (lws_tls_peer_cert_info(wsi, LWS_TLS_CERT_INFO_COMMON_NAME, &of.info, NAME_SIZE) != 0)
        return PAGE_LOOKS;
    for (int i = 0; i < options->n_operators; i++)
        if ((size_t)of.info.ns.len == strlen(options->operators[i]) &&
            memcmp(of.info.ns.name, options->operators[i], (size_t)of.info.ns.len) == 0)
            return PAGE_OPERATES;
    return PAGE_LOOKS;
}
