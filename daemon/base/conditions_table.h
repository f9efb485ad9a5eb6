/* SPDX-License-Identifier: Apache-2.0 */
/* The table of conditions, see conditions.h: X(NAME, number, LEVEL, meaning, what to do). */
#ifndef LKD_CONDITIONS_TABLE_H
#define LKD_CONDITIONS_TABLE_H

/* clang-format off */

#define LKD_CONDITIONS_START(X) \
    X(CONFIG_REFUSED, 1001, ERROR, \
      "The configuration cannot be read or has a key or value that is not allowed.", \
      "Correct the line that the text names; `linkaged --check` says when it is right.") \
    X(START_FAILED, 1002, ERROR, \
      "The operating system refused a resource that the daemon needs.", \
      "See the text; usually memory, descriptors or threads.") \
    X(ENDPOINT_REFUSED, 1003, ERROR, \
      "An endpoint is in use, or the daemon is not allowed to listen there.", \
      "Stop the other daemon, or choose another address under `endpoints`.") \
    X(LISTENING, 1004, INFO, "An endpoint is open.", "Nothing.") \
    X(MODEL_NOT_STARTED, 1005, ERROR, \
      "The model of `autostart` could not be started; the daemon ends.", \
      "See the text; most often the budget or real-time properties.") \
    X(FOLDER_REFUSED, 1006, WARNING, \
      "A folder of the configuration does not exist, or the daemon's user may not write to it: nothing " \
      "will be stored there.", \
      "Create the folder and make the user of `privileges` its owner.") \
    X(SIGNAL, 1007, NOTICE, "A signal asks the daemon to end, or to read its keys again.", "Nothing.") \
    X(SHUTDOWN_ASKED, 1008, NOTICE, "A client asks the daemon to end.", "Nothing.") \
    X(ENDED, 1009, NOTICE, "The daemon has ended in order.", "Nothing.") \
    X(LINES_WITHHELD, 1010, WARNING, \
      "Lines with the same identifier came too fast for the log; the text says how many were left out.", \
      "Look for the cause in the lines before; the counters in the status are complete.") \
    X(SIGNAL_IGNORED, 1011, NOTICE, \
      "A signal arrived that the daemon ignores; nothing else happens.", \
      "Find the sender: the text names the process. SIGTERM ends the daemon.") \
    X(PTP_STATE, 1012, NOTICE, \
      "The PTP daemon of this machine (`ptp`) says another state of its clock, or nothing any more.", \
      "Where times of two machines are compared: SLAVE on one and MASTER or SLAVE on the other are what it takes; " \
      "the log of ptp4l says why it is not. Where it may not be asked, its socket is not for this account.")

#define LKD_CONDITIONS_MODEL(X) \
    X(MODEL_LOADED, 2001, NOTICE, "A model was loaded.", "Nothing.") \
    X(MODEL_REFUSED, 2002, WARNING, \
      "A model was refused; the previous one stays loaded.", \
      "Correct the line that the text names; `linkage check FILE` says more.") \
    X(STATE, 2003, NOTICE, "The state of the daemon has changed.", "Nothing.") \
    X(FAULT, 2004, ERROR, \
      "The run has ended in FAULT: the step failed, a limit was exceeded, too many deadlines were missed " \
      "or the policy demands it.", \
      "See the text and `linkagectl latency`; `linkagectl reset` returns to READY.") \
    X(RUN_ENDED, 2005, INFO, "A run has ended; the line has its figures.", "Nothing.") \
    X(EVIDENCE_KEPT, 2006, INFO, "A report or a trace of the run was written.", "Nothing.") \
    X(EVIDENCE_NOT_KEPT, 2007, WARNING, \
      "A report or a trace could not be written completely.", \
      "Check the folder of `evidence`: does it exist, is it writable, is the disk full?") \
    X(MODEL_LOADING, 2008, INFO, \
      "A model is being compiled; the previous one stays loaded until that is done.", \
      "Nothing; `linkagectl stop` cancels it.") \
    X(JOINT_VIOLATED, 2009, WARNING, \
      "A joint is violated beyond the limit of the policy (`residual`), which lets the run go on.", \
      "Shorten the step or allow more iterations; `linkage check` says what is special about the model.") \
    X(ENERGY_OFF, 2010, WARNING, \
      "Energy has appeared since the start that nothing put in and the step does not explain, or the balance " \
      "is off by more than the limit of the policy (`energy`).", \
      "Shorten the step; look at the body that is named, and at what acts on it.") \
    X(BEYOND_BOUNDS, 2011, WARNING, \
      "A body is farther or faster than the policy expects (`bounds`), which lets the run go on.", \
      "Look at the inputs: most often a unit is wrong, or an input of the model has no limits.") \
    X(ENERGY_JUMP, 2012, WARNING, \
      "Energy appeared in the mechanism that nothing put in (`energy_jump`): the step does not follow " \
      "the motion, or a driven coordinate jumped.", \
      "Shorten the step, smooth the input that drives a coordinate, or stiffen what is soft and light.") \
    X(NOT_CONVERGED, 2013, WARNING, \
      "The last iteration of a step still moved bodies by more than the policy expects (`increment`).", \
      "Allow more `iterations`, or shorten the step.") \
    X(CHANGE_POINT, 2014, NOTICE, \
      "Rows of joints depend on others that did not so far (`pivot`): the mechanism is in or near a change " \
      "point, where it may go on in more than one way, and reactions may be large.", \
      "Nothing, where the mechanism is meant to pass it; else keep away from the pose, or brace the mechanism.") \
    X(TURNS_FAR, 2015, WARNING, \
      "A body turns farther in a step than the policy expects (`turn`). What is balanced about its axis is still " \
      "stepped well; a crank, an eccentric or a loop of joints swings by per cents of its energy, and from 1 rad a " \
      "step on may do anything.", \
      "Shorten the step; where `increment` is large, too, more `iterations` help. Raise the limit where all that " \
      "turns is balanced.") \
    X(PORT_APART, 2016, WARNING, \
      "The work of a port in the model and what its bench told differ by more than the policy expects (`port`).", \
      "Compare units, sign and delay of what the bench sends: it gives energy that it does not know of, or takes it. " \
      "A delay of the line counts with its power; raise the limit by that.") \
    X(SNAPSHOT, 2017, INFO, \
      "A snapshot was written, or the next run begins from one.", "Nothing.")

#define LKD_CONDITIONS_INPUTS(X) \
    X(INPUT_REFUSED, 3001, WARNING, \
      "An input sample was refused; the last good values continue to act.", \
      "See the text and `linkagectl inputs`; correct the bench.") \
    X(CLAIMED, 3002, NOTICE, "A bench has claimed input channels.", "Nothing.") \
    X(CLAIM_RELEASED, 3003, NOTICE, "A bench has released its channels.", "Nothing.") \
    X(CLAIM_TAKEN_OVER, 3004, WARNING, \
      "A bench has taken channels from another one whose lease had run out.", \
      "Make sure that the first one was meant to end.") \
    X(CLAIM_REFUSED, 3005, WARNING, \
      "A claim was refused: the channel belongs to another bench, is unknown, or has another unit.", \
      "See the text; `linkagectl inputs` shows the owners.") \
    X(BENCH_LOST, 3006, WARNING, \
      "A bench that owns channels has been silent for longer than its lease; the policy acts.", \
      "Check the bench and its network; `linkagectl inputs` shows since when.") \
    X(BENCH_BACK, 3007, NOTICE, "A lost bench sends again.", "Nothing.") \
    X(INPUT_TRIPPED, 3008, WARNING, \
      "The policy holds, zeroes or ramps an input.", \
      "See `linkagectl inputs` for the condition that tripped it.") \
    X(INPUT_RECOVERED, 3009, NOTICE, "An input acts again after good samples.", "Nothing.") \
    X(INJECTING, 3010, WARNING, \
      "Faults are being injected on request; every output sample is marked.", \
      "`linkagectl inject --clear` ends the injection.") \
    X(INJECTED, 3011, NOTICE, "The injection of faults is over.", "Nothing.") \
    X(GATEWAY_REFUSED, 3012, WARNING, \
      "A message from a gateway (VILLASnode) was refused.", \
      "See the text; compare the positions in `villas` with the gateway's signals.") \
    X(GATEWAY_SILENT, 3013, WARNING, \
      "A direction of `villas` is silent: the model lacks its channels, or another bench owns " \
      "them.", \
      "The text names the channel: correct `villas: in` or `out`, or see `linkagectl inputs` for the owner.") \
    X(FALSE_REPLY, 3014, WARNING, \
      "A bench claims to answer an output sample that was not published, or was published too long ago; " \
      "this answer does not measure its wire.", \
      "Correct the bench: it must copy `reply_to` and `reply_published_ns` from one sample.") \
    X(RULE_UNUSED, 3015, WARNING, \
      "The configuration has a rule for an input that the model does not have.", \
      "Correct `inputs: channels`, unless the rule is for another model.") \
    X(GATEWAY_FIGURES, 3016, INFO, \
      "What a gateway (VILLASnode) sent and received until the end of a run.", "Nothing.")

#define LKD_CONDITIONS_OUTPUTS(X) \
    X(EXCHANGE_NOT_WOKEN, 4001, WARNING, \
      "The exchange thread could not be woken.", "See the text; if it recurs, report a defect.") \
    X(STREAM_OPENED, 4002, INFO, "A subscriber has requested a selection of the outputs.", "Nothing.") \
    X(STREAM_CLOSED, 4003, INFO, "Nobody subscribes to a selection any more.", "Nothing.") \
    X(STREAM_REFUSED, 4004, WARNING, \
      "A selection of the outputs was refused.", "See the text.") \
    X(MOTION_NOT_SENT, 4005, WARNING, \
      "Datagrams for the motion platform could not be sent.", \
      "See the text: is there a route to the address of `motion`?") \
    X(OUTPUT_NOT_SENT, 4006, WARNING, \
      "An output sample could not be encoded or sent.", "See the text.") \
    X(MOTION_INCOMPLETE, 4007, WARNING, \
      "The model lacks outputs that `motion` names: these values are sent as 0, and a status bit says so.", \
      "Add the outputs to the model, or correct their names in `motion`.") \
    X(PLATFORM_STATE, 4008, NOTICE, "The state of the motion platform has changed.", "Nothing.") \
    X(PLATFORM_HELD, 4009, WARNING, \
      "The motion platform brakes and settles without an order to park; the text says why.", \
      "Mend the cause; `linkagectl platform engage` begins anew once it is parked.") \
    X(PLATFORM_SENSOR, 4010, WARNING, \
      "The model lacks the inertial sensor that `cueing` names: the platform stays parked.", \
      "Add the output to the model, or correct `cueing: {sensor: ...}`.") \
    X(PLATFORM_GAIN, 4011, WARNING, \
      "The model lacks an output that is to give a gain of the washout: the gain stays as it is.", \
      "Add the output to the model, or correct `cueing: {gains: ...}`.")

#define LKD_CONDITIONS_REALTIME(X) \
    X(MEMORY_NOT_LOCKED, 5001, WARNING, \
      "The memory of the daemon is not locked: a cycle may wait for a page.", \
      "Grant CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK; `linkage doctor` says how.") \
    X(CORES_REFUSED, 5002, ERROR, \
      "The workers cannot be placed on the cores that the configuration names, or another rig has them.", \
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
      "The kernel throttled the cycle in favour of other tasks.", \
      "Spin less (`wake`), or see `linkage doctor` about real-time throttling.") \
    X(CYCLE_STUCK, 5009, ERROR, \
      "The cycle hangs and has not ended on request.", \
      "Move the thread that the text names off the core; if it names none, restart the daemon and report the model: that is a defect.") \
    X(CORE_HELD, 5010, WARNING, \
      "Other threads kept those of the cycle from running on their cores.", \
      "Move the threads that the text names off the core; see `linkage doctor`.") \
    X(CORE_NOT_LOCKED, 5011, WARNING, \
      "The core of the cycle could not be locked: another rig may take it, too.", \
      "See the text; the folders of the cores below /sys/devices/system/cpu have to exist.") \
    X(EXCHANGE_NORMAL, 5012, WARNING, \
      "The threads that carry samples did not get the core or the priority of `exchange`.", \
      "See the text; a priority needs CAP_SYS_NICE or RLIMIT_RTPRIO, `linkage doctor` says how.")

#define LKD_CONDITIONS_SECURITY(X) \
    X(KEYS_REFUSED, 6001, ERROR, \
      "The server's key or the list of clients is missing, malformed or readable by others.", \
      "Correct the file that the text names; `linkagectl keygen` makes keys.") \
    X(KEYS_LOADED, 6002, NOTICE, "The list of clients was read.", "Nothing.") \
    X(RELOAD_REFUSED, 6003, WARNING, \
      "The list of clients could not be reloaded; the previous one stays in force.", \
      "Correct the line that the text names and send SIGHUP again.") \
    X(TURNED_AWAY, 6004, WARNING, \
      "A connection was refused: its key is not on the list, or it has none.", \
      "Add the key to the list of clients if you know its owner; else find out who connects.") \
    X(FORBIDDEN, 6005, WARNING, \
      "The role of the client's key does not allow a request or a sample.", \
      "Give the key another role in the list of clients, or correct the client.") \
    X(ZAP_FAILED, 6006, ERROR, \
      "The thread that authenticates connections failed; all new connections are refused.", \
      "See the text and restart the daemon.") \
    X(PRIVILEGES_REFUSED, 6007, ERROR, \
      "Privileges could not be dropped, or the user to run as does not exist.", \
      "Correct `privileges`, or start the daemon as root or as that user.") \
    X(PRIVILEGES_DROPPED, 6008, INFO, "The daemon, started by root, has become another user.", "Nothing.") \
    X(CLEAR_TEXT, 6009, WARNING, \
      "An endpoint is open to other machines without keys and encryption, as the configuration allows.", \
      "Keep it on a network that only the rig uses, or run the gateway on this machine.")

#define LKD_CONDITIONS_RECORDER(X) \
    X(RECORDING, 7001, NOTICE, "A recording has begun.", "Nothing.") \
    X(RECORDED, 7002, NOTICE, "A recording has ended; the line has its figures.", "Nothing.") \
    X(RECORDING_FAILED, 7003, ERROR, \
      "A recording could not begin or had to end; the run continues.", \
      "See the text: folder, space, permissions, or a file that was removed or changed by somebody.") \
    X(RECORDING_DROPS, 7004, WARNING, \
      "The disk is too slow: cycles are missing in the recording, none in the run.", \
      "Record to a faster disk or fewer channels.") \
    X(RECORDER_FALLBACK, 7005, INFO, \
      "io_uring is not available; plain writes are used.", "Nothing, unless drops follow.")

#define LKD_CONDITIONS_CONTROL(X) \
    X(REPLY_NOT_SENT, 8001, WARNING, \
      "A reply could not be sent: the client is gone or does not read.", "Look at the client.") \
    X(REPLY_FAILED, 8002, ERROR, "A reply could not be encoded.", "Report a defect.") \
    X(REQUEST_REFUSED, 8003, WARNING, \
      "A message on the control socket is not a request (result BAD_MESSAGE).", \
      "Correct the client: the text says what is wrong.") \
    X(WRONG_STATE, 8004, WARNING, \
      "A request is not allowed in the present state (WRONG_STATE).", \
      "The text names the state; proto/README.md says which requests it allows.") \
    X(BAD_MODEL, 8005, WARNING, \
      "The text of a model was refused (BAD_MODEL).", "Correct the line that the text names.") \
    X(UNKNOWN_CHANNEL, 8006, WARNING, \
      "There is no channel of that name (UNKNOWN_CHANNEL).", "`linkagectl channels` lists them.") \
    X(BAD_VALUE, 8007, WARNING, \
      "A request has too many or too few values, or one that is not finite or beyond a limit (BAD_VALUE).", \
      "Correct the request.") \
    X(NO_REALTIME, 8008, WARNING, \
      "The machine is not fit for real time and no degraded run was requested (NO_REALTIME).", \
      "`linkage doctor`, or `linkagectl arm --allow-degraded`.") \
    X(INTERNAL, 8009, WARNING, \
      "An internal failure of the daemon: memory, threads, a cycle that hangs (INTERNAL).", \
      "See the text; restart the daemon if it recurs.") \
    X(NO_BUDGET, 8010, WARNING, \
      "The step does not fit into its period (NO_BUDGET).", "The text says what would fit.") \
    X(CHANNEL_CLAIMED, 8011, WARNING, \
      "A channel belongs to another bench (CLAIMED).", \
      "`linkagectl inputs` shows the owners; a channel is free after a release, or after the lease.") \
    X(BAD_TOKEN, 8012, WARNING, \
      "No claim has this token (BAD_TOKEN).", "Claim anew; a restart of the daemon ends all claims.") \
    X(BEYOND_ROLE, 8013, WARNING, \
      "The role of this client's key does not allow the request (FORBIDDEN).", \
      "Use another key, or change the role in the list of clients.") \
    X(BAD_UNIT, 8014, WARNING, \
      "The unit in the claim is not that of the channel (BAD_UNIT).", "Correct the bench.") \
    X(NO_RECORDER, 8015, WARNING, \
      "A recording has no folder, no space or no file (NO_RECORDER).", \
      "See `record` in the configuration.") \
    X(NO_SNAPSHOT, 8016, WARNING, \
      "A snapshot has no folder or no file, or does not fit what is loaded (NO_SNAPSHOT).", \
      "See `snapshots` in the configuration, and the text.")

#define LKD_CONDITIONS_LINE(X) \
    X(LINE_RESTARTED, 9001, WARNING, \
      "The process that serves the endpoints ended and was restarted; all connections were lost, the run continues.", \
      "Nothing if it happens once; if often, the text says how it ended, and the lines before it who was connected.") \
    X(LINE_FAILED, 9002, ERROR, \
      "The process that serves the endpoints could not be started; the daemon keeps trying.", \
      "See the text: memory, descriptors, or an endpoint that no longer exists.") \
    X(LINE_DESCRIPTORS, 9003, WARNING, \
      "The process that serves the endpoints has no descriptors left: it accepts no new connections.", \
      "Find out who connects; raise the limit (LimitNOFILE=, `ulimit -n`).") \
    X(LINE_SAID, 9004, WARNING, \
      "The process that serves the endpoints wrote to its standard error; libzmq does so before it aborts.", \
      "See the line about the restart (LK-9001) that follows; report both.")

#define LKD_CONDITIONS(X) \
    LKD_CONDITIONS_START(X) LKD_CONDITIONS_MODEL(X) LKD_CONDITIONS_INPUTS(X) \
    LKD_CONDITIONS_OUTPUTS(X) LKD_CONDITIONS_REALTIME(X) LKD_CONDITIONS_SECURITY(X) \
    LKD_CONDITIONS_RECORDER(X) LKD_CONDITIONS_CONTROL(X) LKD_CONDITIONS_LINE(X)

/* clang-format on */

#endif
