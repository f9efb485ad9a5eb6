/* SPDX-License-Identifier: Apache-2.0 */
/* The table of conditions, see conditions.h: X(NAME, number, LEVEL, meaning, what to do). */
#ifndef LKD_CONDITIONS_TABLE_H
#define LKD_CONDITIONS_TABLE_H

/* clang-format off */

#define LKD_CONDITIONS_START(X) \
    X(CONFIG_REFUSED, 1001, ERROR, \
      "The configuration cannot be read or has a key or value that is not allowed.", \
      "Mend the line that the text names; `linkaged --check` tells when it is right.") \
    X(START_FAILED, 1002, ERROR, \
      "The operating system refused something without which the daemon cannot run.", \
      "See the text; memory, descriptors and threads are the usual ones.") \
    X(ENDPOINT_REFUSED, 1003, ERROR, \
      "An endpoint is in use, or the daemon may not listen there.", \
      "End the other daemon, or choose another address under `endpoints`.") \
    X(LISTENING, 1004, INFO, "An endpoint is open.", "Nothing.") \
    X(MODEL_NOT_STARTED, 1005, ERROR, \
      "`autostart` was asked for and the model could not be started; the daemon ends.", \
      "See the text; most often the budget or real-time properties.") \
    X(FOLDER_REFUSED, 1006, WARNING, \
      "A folder of the configuration is not there, or the daemon's user may not write to it: nothing " \
      "will be kept there.", \
      "Make the folder and give it to the user of `privileges`.") \
    X(SIGNAL, 1007, NOTICE, "A signal asks the daemon to end, or to read its keys again.", "Nothing.") \
    X(SHUTDOWN_ASKED, 1008, NOTICE, "A client asks the daemon to end.", "Nothing.") \
    X(ENDED, 1009, NOTICE, "The daemon has ended in order.", "Nothing.") \
    X(LINES_WITHHELD, 1010, WARNING, \
      "Lines with the same identifier came faster than the log takes them; so many were left out.", \
      "Look for the cause in the lines before; the counters in the status are complete.") \
    X(SIGNAL_IGNORED, 1011, NOTICE, \
      "A signal came that the daemon has no use for; nothing else happens.", \
      "Find out who sends it: the text has the process. SIGTERM ends the daemon.")

#define LKD_CONDITIONS_MODEL(X) \
    X(MODEL_LOADED, 2001, NOTICE, "A model was loaded.", "Nothing.") \
    X(MODEL_REFUSED, 2002, WARNING, \
      "A model was refused; the one before stays loaded.", \
      "Mend the line that the text names; `linkage check FILE` says more.") \
    X(STATE, 2003, NOTICE, "The state of the daemon has changed.", "Nothing.") \
    X(FAULT, 2004, ERROR, \
      "The run has ended in FAULT: the step failed, a limit was passed, too many deadlines were missed " \
      "or the policy asks for it.", \
      "See the text and `linkagectl latency`; `linkagectl reset` leads back to READY.") \
    X(RUN_ENDED, 2005, INFO, "A run has ended; its figures in one line.", "Nothing.") \
    X(EVIDENCE_KEPT, 2006, INFO, "A report or a trace of the run was written.", "Nothing.") \
    X(EVIDENCE_NOT_KEPT, 2007, WARNING, \
      "A report or a trace could not be written, or not in full.", \
      "Look at the folder of `evidence`: is it there, writable, and the disk not full?") \
    X(MODEL_LOADING, 2008, INFO, \
      "A model is being compiled; what was loaded before stays until that is done.", \
      "Nothing; `linkagectl stop` ends it.")

#define LKD_CONDITIONS_INPUTS(X) \
    X(INPUT_REFUSED, 3001, WARNING, \
      "An input sample was refused; the last good values go on acting.", \
      "See the text and `linkagectl inputs`; mend the bench.") \
    X(CLAIMED, 3002, NOTICE, "A bench has claimed input channels.", "Nothing.") \
    X(CLAIM_RELEASED, 3003, NOTICE, "A bench has given its channels back.", "Nothing.") \
    X(CLAIM_TAKEN_OVER, 3004, WARNING, \
      "A bench has taken channels from another one whose lease had run out.", \
      "Make sure that the first one is meant to be gone.") \
    X(CLAIM_REFUSED, 3005, WARNING, \
      "A claim was refused: the channel belongs to another bench, is unknown, or has another unit.", \
      "See the text; `linkagectl inputs` shows the owners.") \
    X(BENCH_LOST, 3006, WARNING, \
      "A bench that owns channels is silent for longer than its lease; the policy acts.", \
      "Look after the bench and its network; `linkagectl inputs` shows since when.") \
    X(BENCH_BACK, 3007, NOTICE, "A bench that was lost is heard again.", "Nothing.") \
    X(INPUT_TRIPPED, 3008, WARNING, \
      "The policy holds, zeroes or ramps an input.", \
      "See `linkagectl inputs` for the condition that tripped it.") \
    X(INPUT_RECOVERED, 3009, NOTICE, "An input acts again after good samples.", "Nothing.") \
    X(INJECTING, 3010, WARNING, \
      "Faults are injected on purpose; every output sample is marked.", \
      "`linkagectl inject --clear` ends it.") \
    X(INJECTED, 3011, NOTICE, "The injection of faults is over.", "Nothing.") \
    X(GATEWAY_REFUSED, 3012, WARNING, \
      "A message from a gateway (VILLASnode) was refused.", \
      "See the text; compare the positions in `villas` with the gateway's signals.") \
    X(GATEWAY_SILENT, 3013, WARNING, \
      "A direction of `villas` is silent: its channels are not those of the model, or another bench has " \
      "them.", \
      "The text names the channel: mend `villas: in` or `out`, or see `linkagectl inputs` for the owner.") \
    X(FALSE_REPLY, 3014, WARNING, \
      "A bench says that it answers an output sample that was not published, or too long ago; its wire " \
      "is not measured by that.", \
      "Mend the bench: `reply_to` and `reply_published_ns` are those of one sample, untouched.") \
    X(RULE_UNUSED, 3015, WARNING, \
      "The configuration has a rule for an input that the model does not have.", \
      "Mend `inputs: channels`, unless the rule is for another model.") \
    X(GATEWAY_FIGURES, 3016, INFO, \
      "What a gateway (VILLASnode) sent and got up to the end of a run.", "Nothing.")

#define LKD_CONDITIONS_OUTPUTS(X) \
    X(EXCHANGE_NOT_WOKEN, 4001, WARNING, \
      "The exchange thread could not be woken.", "See the text; if it comes again, report a defect.") \
    X(STREAM_OPENED, 4002, INFO, "A subscriber has asked for a selection of the outputs.", "Nothing.") \
    X(STREAM_CLOSED, 4003, INFO, "Nobody subscribes to a selection any more.", "Nothing.") \
    X(STREAM_REFUSED, 4004, WARNING, \
      "A selection of the outputs was refused.", "See the text.") \
    X(MOTION_NOT_SENT, 4005, WARNING, \
      "Datagrams for the motion platform could not be sent.", \
      "See the text: is there a way to the address of `motion`?") \
    X(OUTPUT_NOT_SENT, 4006, WARNING, \
      "An output sample could not be made or sent.", "See the text.") \
    X(MOTION_INCOMPLETE, 4007, WARNING, \
      "The model lacks outputs that `motion` names: these values are sent as 0, and a status bit says so.", \
      "Add the outputs to the model, or mend their names in `motion`.")

#define LKD_CONDITIONS_REALTIME(X) \
    X(MEMORY_NOT_LOCKED, 5001, WARNING, \
      "The memory of the daemon is not locked: a cycle may wait for a page.", \
      "Grant CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK; `linkage doctor` says how.") \
    X(CORES_REFUSED, 5002, ERROR, \
      "The workers cannot be placed on the cores that the configuration wants, or another rig has them.", \
      "Change `realtime: workers`, `core` or `worker_cores`; the text says which cores there are, and who has them.") \
    X(CORE_NOT_AVOIDED, 5003, WARNING, \
      "Other threads of the daemon may run on the cycle's core.", "See the text.") \
    X(IDLE_STATES, 5004, INFO, \
      "The processor may go into deep idle states between cycles.", \
      "Let the daemon's user write to /dev/cpu_dma_latency, or set limits on the kernel command line.") \
    X(DEGRADED, 5005, WARNING, \
      "The machine is not fit for real time in one respect.", "`linkage doctor` says what to do.") \
    X(ARMED, 5006, NOTICE, "The budget is proven: the step fits into its period.", "Nothing.") \
    X(NOT_ARMED, 5007, WARNING, \
      "The budget could not be proven.", "The text says what would fit.") \
    X(HELD_BACK, 5008, WARNING, \
      "The kernel held the cycle back so that others get their turn.", \
      "Less spinning (`wake`), or see `linkage doctor` about real-time throttling.") \
    X(CYCLE_STUCK, 5009, ERROR, \
      "The cycle stands still and has not ended as asked.", \
      "Take the thread that the text names off the core; without one, restart the daemon and report the model, it is a defect.") \
    X(CORE_HELD, 5010, WARNING, \
      "The threads of the cycle were not let run on their cores.", \
      "Take the threads that the text names off the core; see `linkage doctor`.") \
    X(CORE_NOT_LOCKED, 5011, WARNING, \
      "The core of the cycle could not be locked: another rig may take it, too.", \
      "See the text; the folders of the cores below /sys/devices/system/cpu have to be there.") \
    X(EXCHANGE_NORMAL, 5012, WARNING, \
      "What carries samples in and out has not got the core or the priority of `exchange`.", \
      "See the text; a priority takes CAP_SYS_NICE or RLIMIT_RTPRIO, `linkage doctor` says how.")

#define LKD_CONDITIONS_SECURITY(X) \
    X(KEYS_REFUSED, 6001, ERROR, \
      "The server's key or the list of clients is missing, malformed or readable for others.", \
      "Mend the file that the text names; `linkagectl keygen` makes keys.") \
    X(KEYS_LOADED, 6002, NOTICE, "The list of clients was read.", "Nothing.") \
    X(RELOAD_REFUSED, 6003, WARNING, \
      "The list of clients was not read again; the one before stays in force.", \
      "Mend the line that the text names and send SIGHUP again.") \
    X(TURNED_AWAY, 6004, WARNING, \
      "A connection was turned away: its key is not on the list, or it came without one.", \
      "Add the key to the list of clients if it is a friend; else find out who it is.") \
    X(FORBIDDEN, 6005, WARNING, \
      "A request or a sample was beyond the role of its client's key.", \
      "Give the key another role in the list of clients, or mend the client.") \
    X(ZAP_FAILED, 6006, ERROR, \
      "The thread that judges connections failed; all new ones are turned away.", \
      "See the text and restart the daemon.") \
    X(PRIVILEGES_REFUSED, 6007, ERROR, \
      "Privileges could not be given up, or the user to run as does not exist.", \
      "Mend `privileges`, or start the daemon as root or as that user.") \
    X(PRIVILEGES_DROPPED, 6008, INFO, "The daemon, started by root, has become another user.", "Nothing.") \
    X(CLEAR_TEXT, 6009, WARNING, \
      "An endpoint is open to other machines without keys and encryption, as the configuration allows.", \
      "Keep it in a network of the rig's own, or run the gateway on this machine.")

#define LKD_CONDITIONS_RECORDER(X) \
    X(RECORDING, 7001, NOTICE, "A recording has begun.", "Nothing.") \
    X(RECORDED, 7002, NOTICE, "A recording has ended; its figures in one line.", "Nothing.") \
    X(RECORDING_FAILED, 7003, ERROR, \
      "A recording could not begin or had to end; the run goes on.", \
      "See the text: folder, space, rights, or somebody who removed or changed its file.") \
    X(RECORDING_DROPS, 7004, WARNING, \
      "The disk does not follow: cycles are missing in the recording, none in the run.", \
      "Record to a faster disk or fewer channels.") \
    X(RECORDER_FALLBACK, 7005, INFO, \
      "io_uring is not available; plain writes are used.", "Nothing, unless drops follow.")

#define LKD_CONDITIONS_CONTROL(X) \
    X(REPLY_NOT_SENT, 8001, WARNING, \
      "A reply could not be sent: the client is gone or does not read.", "Look at the client.") \
    X(REPLY_FAILED, 8002, ERROR, "A reply could not be made.", "Report a defect.") \
    X(REQUEST_REFUSED, 8003, WARNING, \
      "A message on the control socket is no request (result BAD_MESSAGE).", \
      "Mend the client: the text says what is wrong.") \
    X(WRONG_STATE, 8004, WARNING, \
      "A request is not allowed in the present state (WRONG_STATE).", \
      "The text names the state; daemon/README.md has the picture.") \
    X(BAD_MODEL, 8005, WARNING, \
      "The text of a model was refused (BAD_MODEL).", "Mend the line that the text names.") \
    X(UNKNOWN_CHANNEL, 8006, WARNING, \
      "There is no channel of that name (UNKNOWN_CHANNEL).", "`linkagectl status` and describe name them.") \
    X(BAD_VALUE, 8007, WARNING, \
      "Values of a request are too many, too few, not finite or beyond a limit (BAD_VALUE).", \
      "Mend the request.") \
    X(NO_REALTIME, 8008, WARNING, \
      "The machine is not fit for real time and a degraded run was not asked for (NO_REALTIME).", \
      "`linkage doctor`, or `linkagectl arm --allow-degraded`.") \
    X(INTERNAL, 8009, WARNING, \
      "The daemon's own trouble: memory, threads, a cycle that stands still (INTERNAL).", \
      "See the text; restart the daemon if it comes again.") \
    X(NO_BUDGET, 8010, WARNING, \
      "The step does not fit into its period (NO_BUDGET).", "The text says what would fit.") \
    X(CHANNEL_CLAIMED, 8011, WARNING, \
      "A channel belongs to another bench (CLAIMED).", \
      "`linkagectl inputs` shows the owners; it is free when released, or after the lease.") \
    X(BAD_TOKEN, 8012, WARNING, \
      "No claim has this token (BAD_TOKEN).", "Claim anew; a restart of the daemon ends all claims.") \
    X(BEYOND_ROLE, 8013, WARNING, \
      "The role of this client's key does not allow the request (FORBIDDEN).", \
      "Ask with another key, or change the role in the list of clients.") \
    X(BAD_UNIT, 8014, WARNING, \
      "The unit that the bench has in mind is not that of the channel (BAD_UNIT).", "Mend the bench.") \
    X(NO_RECORDER, 8015, WARNING, \
      "There is no folder, no space or no file for a recording (NO_RECORDER).", \
      "See `record` in the configuration.")

#define LKD_CONDITIONS_LINE(X) \
    X(LINE_RESTARTED, 9001, WARNING, \
      "The process that serves the endpoints ended and was started again; all connections were lost, the run goes on.", \
      "Nothing once; often: the text says how it ended, and the lines before it who was connected.") \
    X(LINE_FAILED, 9002, ERROR, \
      "The process that serves the endpoints could not be started; it is tried again and again.", \
      "See the text: memory, descriptors, an endpoint that is gone.") \
    X(LINE_DESCRIPTORS, 9003, WARNING, \
      "So many connections that the process which serves them has no descriptors left; nobody new is let in.", \
      "Find out who connects; raise the limit (LimitNOFILE=, `ulimit -n`).")

#define LKD_CONDITIONS(X) \
    LKD_CONDITIONS_START(X) LKD_CONDITIONS_MODEL(X) LKD_CONDITIONS_INPUTS(X) \
    LKD_CONDITIONS_OUTPUTS(X) LKD_CONDITIONS_REALTIME(X) LKD_CONDITIONS_SECURITY(X) \
    LKD_CONDITIONS_RECORDER(X) LKD_CONDITIONS_CONTROL(X) LKD_CONDITIONS_LINE(X)

/* clang-format on */

#endif
