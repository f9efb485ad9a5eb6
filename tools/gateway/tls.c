/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Return true if an entry of a certificate's subject equals an argument of --operator. The whole
 * entry is compared in UTF-8, including zero bytes. */
static bool is_operator(const struct gate_options *options, X509_NAME *subject, int entry)
{
    unsigned char *name = NULL;
    int size =
        ASN1_STRING_to_UTF8(&name, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, entry)));
    bool found = false;

    for (int i = 0; i < options->n_operators && size >= 0; i++)
        found |= (size_t)size == strlen(options->operators[i]) &&
                 memcmp(name, options->operators[i], (size_t)size) == 0;
    OPENSSL_free(name);
    return found;
}

/* Return the role of a certificate, which depends on the only common name of its subject. A
 * certificate with several common names would be ambiguous, so it may only view. */
static enum page_role find_role(const struct gate_options *options, const X509 *certificate)
{
    X509_NAME *subject = X509_get_subject_name(certificate);
    int entry = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);

    if (entry >= 0 && X509_NAME_get_index_by_NID(subject, NID_commonName, entry) >= 0) {
        fprintf(stderr, "linkage-gateway: a certificate with several common names operates "
                        "nothing; issue one with a single CN\n");
        return PAGE_LOOKS;
    }
    return entry >= 0 && is_operator(options, subject, entry) ? PAGE_OPERATES : PAGE_LOOKS;
}

enum page_role tls_role(const struct gate_options *options, struct lws *wsi)
{
    SSL *ssl = options->tls_clients != NULL ? lws_get_ssl(wsi) : NULL;
    X509 *certificate = ssl != NULL ? SSL_get1_peer_certificate(ssl) : NULL;
    enum page_role role = PAGE_NOBODY;

    if (certificate != NULL && SSL_get_verify_result(ssl) == X509_V_OK)
        role = find_role(options, certificate);
    X509_free(certificate);
    return role;
}
