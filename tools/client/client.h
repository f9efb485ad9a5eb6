/* SPDX-License-Identifier: Apache-2.0 */
/* A client of the daemon: the control connection, and the streams of input and output samples.
 *
 *     lk_client_open()  lk_client_call() ...  lk_client_close()
 *     lk_client_outputs_open()  lk_client_outputs_receive() ...  lk_client_outputs_close()
 *     lk_client_stream_open()   lk_client_stream_receive() ...   lk_client_stream_close()
 *     lk_client_inputs_open()  lk_client_inputs_wait()  lk_client_inputs_send() ...
 *
 * These are the building blocks. bench.h has a bench that claims channels, receives outputs and
 * reconnects by itself.
 *
 * proto/linkage.proto documents the messages. Streams share the ZeroMQ context of their client:
 * close them before it. Each of the three objects belongs to one thread at a time, so a bench may
 * send, receive and control from three threads.
 * RT: no. */
#ifndef TOOLS_CLIENT_CLIENT_H
#define TOOLS_CLIENT_CLIENT_H

#include "linkage/error.h"
#include "names.h"
#include "wire.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_CLIENT_CONTROL       "tcp://127.0.0.1:5600"
#define LK_CLIENT_INPUTS        "tcp://127.0.0.1:5601"
#define LK_CLIENT_OUTPUTS       "tcp://127.0.0.1:5602"
#define LK_CLIENT_ENDPOINT_SIZE 128 /* bytes of an endpoint, including its terminating zero */

/** enum lk_client_code - positive return codes of this library.
 * LK_CLIENT_E_NO_ANSWER: no reply in time. LK_CLIENT_E_SILENT: no reply in time, but a process
 * accepts connections, so do not start another daemon. LK_CLIENT_E_BAD_ANSWER: the reply is not a
 * message of the protocol. LK_CLIENT_E_ENDPOINT: not an address that ZeroMQ can connect to.
 * LK_CLIENT_E_TOO_LARGE: the request is larger than the daemon accepts. LK_CLIENT_E_BUSY: the
 * daemon replies, but the awaited event did not happen in time. LK_CLIENT_E_REFUSED: the daemon
 * refused the request. LK_CLIENT_E_CHANGED: another model was loaded, or the daemon was restarted.
 * LK_CLIENT_E_KEYS: the keys are invalid, or only some of them are given. */
enum lk_client_code {
    LK_CLIENT_OK = 0,
    LK_CLIENT_E_NO_ANSWER = 1,
    LK_CLIENT_E_BAD_ANSWER = 2,
    LK_CLIENT_E_ENDPOINT = 3,
    LK_CLIENT_E_TOO_LARGE = 4,
    LK_CLIENT_E_BUSY = 5,
    LK_CLIENT_E_REFUSED = 6,
    LK_CLIENT_E_CHANGED = 7,
    LK_CLIENT_E_KEYS = 8,
    LK_CLIENT_E_SILENT = 9,
};

/** struct lk_client_options - CURVE keys, 40 characters of Z85 each. All three are given or, for a
 * daemon without security, all are NULL. The functions of this library copy them.
 * @server_key: public key of the daemon
 * @public_key, @secret_key: keys of this client */
struct lk_client_options {
    const char *server_key;
    const char *public_key;
    const char *secret_key;
};

#define LK_CLIENT_KEY_SIZE 41 /* bytes of a key, including its terminating zero */

/** struct lk_client_keyring - keys read from files. @options: argument for lk_client_open_with()
 * and benches. @options points to the other fields, so do not copy this struct */
struct lk_client_keyring {
    struct lk_client_options options;
    char server_key[LK_CLIENT_KEY_SIZE];
    char public_key[LK_CLIENT_KEY_SIZE];
    char secret_key[LK_CLIENT_KEY_SIZE];
};

/** lk_client_keyring_read() - Read the keys from two files of `linkagectl keygen`.
 * @server_file: the daemon's public key
 * @own_file:    the secret key of this client, from which its public key is derived; refused if
 *               others can read it
 * @ret_keyring: written on success; wipe it with lk_client_keyring_wipe() after use
 * Return: 0, LK_CLIENT_E_KEYS; @ret_error names the file and the error. */
int lk_client_keyring_read(const char *server_file, const char *own_file,
                           struct lk_client_keyring *ret_keyring, struct lk_error *ret_error);

/** lk_client_keyring_wipe() - Overwrite the keys of @keyring, which may be zeroed. */
void lk_client_keyring_wipe(struct lk_client_keyring *keyring);

struct lk_client;
struct lk_client_outputs;
struct lk_client_stream;
struct lk_client_inputs;

/** lk_client_open() - Prepare a control connection. This also succeeds without a daemon; then the
 * first lk_client_call() fails.
 * @endpoint:   endpoint of the control socket; NULL: LK_CLIENT_CONTROL
 * @timeout_ms: longest wait of a call for the connection and the reply
 * Return: 0, LK_CLIENT_E_ENDPOINT, negative errno; @ret_error gives the reason. */
int lk_client_open(const char *endpoint, int timeout_ms, struct lk_client **ret_client,
                   struct lk_error *ret_error);

/** lk_client_open_with() - Prepare a control connection with keys, which are used for this
 * connection and all streams of @client.
 * @options: NULL: none
 * Return: as lk_client_open(), LK_CLIENT_E_KEYS. */
int lk_client_open_with(const char *endpoint, int timeout_ms,
                        const struct lk_client_options *options, struct lk_client **ret_client,
                        struct lk_error *ret_error);

/** lk_client_close() - Disconnect and release @client, which may be NULL. */
void lk_client_close(struct lk_client *client);

/** lk_client_call() - Send one request and wait for its reply. Late replies to earlier requests are
 * dropped.
 * @request:   its id is set by the function
 * @ret_reply: the daemon's answer, possibly a refusal. It belongs to @client and is valid until the
 *             next call; a description until the next DescribeRequest.
 * Return: 0, LK_CLIENT_E_NO_ANSWER (the error text names the endpoint and how to start a daemon, or
 * states that the keys were refused), LK_CLIENT_E_SILENT (a process accepts connections there),
 * LK_CLIENT_E_BAD_ANSWER, LK_CLIENT_E_TOO_LARGE, negative errno. */
int lk_client_call(struct lk_client *client, Linkage__V1__ControlRequest *request,
                   const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_command() - Call lk_client_call() with a request that has no arguments.
 * @command: LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS (with histograms), _DESCRIBE, _START,
 *           _PAUSE, _STOP, _RESET or _SHUTDOWN */
int lk_client_command(struct lk_client *client, Linkage__V1__ControlRequest__CommandCase command,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_load() - Send a LoadRequest like lk_client_call(), and wait until the daemon has
 * compiled the model. Meanwhile the status is polled; the time-out of @client applies to each poll.
 * Return: as lk_client_call(). */
int lk_client_load(struct lk_client *client, Linkage__V1__LoadRequest *load,
                   const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_progress - callback of lk_client_arm() while it waits.
 * @progress: 0 to 1 */
typedef void lk_client_progress(void *data, double progress);

/** lk_client_arm() - Request arming (the budget proof), and wait for the outcome.
 * @patience_ms: longest wait for the outcome; 0: do not wait. If the daemon does not reply within
 *               the time-out of @client, the wait ends at once
 * @progress:    called about ten times a second with @data; may be NULL
 * @ret_reply:   a refusal, or the status after arming (with @patience_ms 0: the first answer); see
 *               lk_client_is_armed(). Lifetime as in lk_client_call()
 * Return: 0, LK_CLIENT_E_BUSY, or as lk_client_call(). */
int lk_client_arm(struct lk_client *client, Linkage__V1__ArmRequest *arm, int patience_ms,
                  lk_client_progress *progress, void *data,
                  const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_is_armed() - Return true if a run may start according to the reply of lk_client_arm().
 * @ret_text: result of the proof or, after a failure, the reason and settings that would fit; may
 *            be ""; valid as long as @reply */
bool lk_client_is_armed(const Linkage__V1__ControlReply *reply, const char **ret_text);

/** lk_client_claim() - Send a ClaimRequest like lk_client_call().
 * @claim: bench and channels, see linkage.proto
 * Return: as lk_client_call(); the reply may be a refusal. */
int lk_client_claim(struct lk_client *client, Linkage__V1__ClaimRequest *claim,
                    const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_release() - Release the channels of @token with a ReleaseRequest, like
 * lk_client_call(). */
int lk_client_release(struct lk_client *client, uint64_t token,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_claim_all() - Claim all inputs of the model, so that samples contain all values in
 * channel order, and the token.
 * @name:      name of the bench
 * @old_token: token of an earlier claim of all inputs, which the new claim replaces; or 0
 * Return: as lk_client_call(), or LK_CLIENT_E_REFUSED (@ret_error: the daemon's text). */
int lk_client_claim_all(struct lk_client *client, const char *name, uint64_t old_token,
                        uint64_t *ret_token, struct lk_error *ret_error);

/** lk_client_outputs_open() - Subscribe to all outputs of every published step.
 * @endpoint: NULL: LK_CLIENT_OUTPUTS
 * Return: 0, LK_CLIENT_E_ENDPOINT, negative errno. */
int lk_client_outputs_open(struct lk_client *client, const char *endpoint,
                           struct lk_client_outputs **ret_outputs, struct lk_error *ret_error);

/** lk_client_outputs_receive() - Receive the next output sample.
 * @timeout_ms:      longest wait; 0: do not wait
 * @ret_received_ns: CLOCK_MONOTONIC when the message was received; may be NULL
 * @ret_sample:      belongs to @outputs, valid until the next call
 * Return: 0, LK_CLIENT_E_NO_ANSWER, LK_CLIENT_E_BAD_ANSWER (the message is dropped), negative
 * errno. */
int lk_client_outputs_receive(struct lk_client_outputs *outputs, int timeout_ms,
                              int64_t *ret_received_ns,
                              const Linkage__V1__OutputSample **ret_sample);

/** lk_client_outputs_close() - Unsubscribe and release @outputs, which may be NULL. */
void lk_client_outputs_close(struct lk_client_outputs *outputs);

/** lk_client_stream_open() - Request a stream of selected outputs, and subscribe to it.
 * @endpoint: endpoint of the outputs; NULL: LK_CLIENT_OUTPUTS
 * @channels: names of @n outputs, in the order in which samples contain them; @n 0: all outputs
 * @divisor:  one sample every @divisor steps; 0: every step
 * Return: 0, LK_CLIENT_E_REFUSED (@ret_error: the daemon's text), LK_CLIENT_E_ENDPOINT, or as
 * lk_client_call(). */
int lk_client_stream_open(struct lk_client *client, const char *endpoint, char *const *channels,
                          size_t n, uint32_t divisor, struct lk_client_stream **ret_stream,
                          struct lk_error *ret_error);

/** lk_client_poses_open() - Request a stream of poses of bodies, and subscribe to it. A pose has
 * seven values: x y z of the centre of mass [m] and the quaternion qw qx qy qz, body to world.
 * @bodies: names of @n bodies; @n 0: all bodies */
int lk_client_poses_open(struct lk_client *client, const char *endpoint, char *const *bodies,
                         size_t n, uint32_t divisor, struct lk_client_stream **ret_stream,
                         struct lk_error *ret_error);

/** lk_client_stream_meaning() - Return the channels of the stream, and the identifiers of its model
 * and daemon. Valid as long as @stream. */
const Linkage__V1__Stream *lk_client_stream_meaning(const struct lk_client_stream *stream);

/** lk_client_stream_receive() - Receive the next sample of the stream, like
 * lk_client_outputs_receive(). Its `sequence` counts the samples of this stream only.
 * Return: as lk_client_outputs_receive(), or LK_CLIENT_E_CHANGED: another model was loaded or the
 *         daemon was restarted; close the stream and open it again. */
int lk_client_stream_receive(struct lk_client_stream *stream, int timeout_ms,
                             int64_t *ret_received_ns,
                             const Linkage__V1__OutputSample **ret_sample);

/** lk_client_stream_close() - Unsubscribe and release @stream, which may be NULL. */
void lk_client_stream_close(struct lk_client_stream *stream);

/** lk_client_inputs_open() - Connect a sender of input samples.
 * @endpoint: NULL: LK_CLIENT_INPUTS
 * Return: 0, LK_CLIENT_E_ENDPOINT, negative errno. */
int lk_client_inputs_open(struct lk_client *client, const char *endpoint,
                          struct lk_client_inputs **ret_inputs, struct lk_error *ret_error);

/** lk_client_inputs_wait() - Wait until the daemon has subscribed, because samples sent earlier are
 * lost without an error.
 * Return: 0, LK_CLIENT_E_NO_ANSWER, negative errno. */
int lk_client_inputs_wait(struct lk_client_inputs *inputs, int timeout_ms);

/** lk_client_inputs_ready() - Return true if the daemon is connected and subscribed now. Does not
 * wait. */
bool lk_client_inputs_ready(struct lk_client_inputs *inputs);

/** lk_client_inputs_send() - Send one input sample; never waits. While the daemon is not connected,
 * samples are dropped, not queued, because the daemon must not receive stale samples later.
 * Return: 0, LK_CLIENT_E_TOO_LARGE, negative errno. */
int lk_client_inputs_send(struct lk_client_inputs *inputs, const Linkage__V1__InputSample *sample);

/** lk_client_inputs_close() - Disconnect and release @inputs, which may be NULL. */
void lk_client_inputs_close(struct lk_client_inputs *inputs);

/** lk_client_inputs_endpoint(), lk_client_outputs_endpoint() - Write the endpoint that belongs to a
 * control endpoint by default: same host, port + 1 for inputs and port + 2 for outputs.
 * @control: NULL: LK_CLIENT_CONTROL
 * Return: 0, LK_CLIENT_E_ENDPOINT if @control is not tcp://HOST:PORT. */
int lk_client_inputs_endpoint(const char *control, char ret_inputs[LK_CLIENT_ENDPOINT_SIZE]);
int lk_client_outputs_endpoint(const char *control, char ret_outputs[LK_CLIENT_ENDPOINT_SIZE]);

/** lk_client_now_ns() - Return the time on CLOCK_MONOTONIC [ns]. */
int64_t lk_client_now_ns(void);

/** lk_client_state_name(), lk_client_result_name() - Return a lower-case word such as "running" or
 * "wrong-state"; "unknown" for values that this version does not define. */
const char *lk_client_state_name(Linkage__V1__State state);
const char *lk_client_result_name(Linkage__V1__Result result);

#ifdef __cplusplus
}
#endif
#endif
