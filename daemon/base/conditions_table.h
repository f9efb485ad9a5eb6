/* SPDX-License-Identifier: Apache-2.0 */
/* The table of conditions, see conditions.h: X(NAME, number, LEVEL, meaning, remedy). */
#ifndef LKD_CONDITIONS_TABLE_H
#define LKD_CONDITIONS_TABLE_H

/* clang-format off */

#define LKD_CONDITIONS_START(X) \
    X(CONFIG_REFUSED, 1001, ERROR, \
      "The configuration cannot be read or has a key or value that is not allowed.", \
      "Correct the line that the text names, and test the file with `linkaged --check`.") \
    X(START_FAILED, 1002, ERROR, \
      "The operating system refused a resource that the daemon needs.", \
      "See the text; usually memory, descriptors or threads.") \
    X(ENDPOINT_REFUSED, 1003, ERROR, \
      "An endpoint is in use, or the daemon is not allowed to listen there.", \
      "Stop the other daemon, or choose another address under `endpoints`.") \
    X(LISTENING, 1004, INFO, "An endpoint is open.", "Nothing.") \
    X(MODEL_NOT_STARTED, 1005, ERROR, \
      "The model of `autostart` could not be started; the daemon ends.", \
      "See the text; the most frequent causes are the budget and missing real-time properties of the machine.") \
    X(FOLDER_REFUSED, 1006, WARNING, \
      "A folder of the configuration does not exist, or the daemon's user may not write to it. Nothing will be " \
      "stored in this folder.", \
      "Create the folder and make the user of `privileges` its owner.") \
    X(SIGNAL, 1007, NOTICE, \
      "A signal requested the end of the daemon, or a reload of the list of clients.", \
      "Nothing.") \
    X(SHUTDOWN_ASKED, 1008, NOTICE, "A client requested the end of the daemon.", "Nothing.") \
    X(ENDED, 1009, NOTICE, "The daemon has ended normally.", "Nothing.") \
    X(LINES_WITHHELD, 1010, WARNING, \
      "Lines with the same identifier came too fast for the log; the text gives the number of omitted lines.", \
      "Look for the cause in the preceding lines; the counters in the status are complete.") \
    X(SIGNAL_IGNORED, 1011, NOTICE, \
      "A signal arrived that the daemon ignores; nothing else happens.", \
      "Find the sender: the text names the process. SIGTERM ends the daemon.") \
    X(PTP_STATE, 1012, NOTICE, \
      "The PTP daemon of this machine (`ptp`) reports another state of its clock, or no longer responds.", \
      "Times of two machines can be compared only if one clock is in state SLAVE and the other in MASTER or " \
      "SLAVE. For another state, see the log of ptp4l. If the state cannot be read, give the daemon's user " \
      "access to the socket of ptp4l.")

#define LKD_CONDITIONS_MODEL(X) \
    X(MODEL_LOADED, 2001, NOTICE, "A model was loaded.", "Nothing.") \
    X(MODEL_REFUSED, 2002, WARNING, \
      "A model was refused; the previous model remains loaded.", \
      "Correct the line that the text names; `linkage check FILE` gives more details.") \
    X(STATE, 2003, NOTICE, "The state of the daemon has changed.", "Nothing.") \
    X(FAULT, 2004, ERROR, \
      "The run has ended in FAULT: the step failed, a limit was exceeded, too many deadlines were missed " \
      "or the policy demands it.", \
      "See the text and `linkagectl latency`; `linkagectl reset` returns to READY.") \
    X(RUN_ENDED, 2005, INFO, "A run has ended; the log line contains its figures.", "Nothing.") \
    X(EVIDENCE_KEPT, 2006, INFO, "A report or a trace of the run was written.", "Nothing.") \
    X(EVIDENCE_NOT_KEPT, 2007, WARNING, \
      "A report or a trace could not be written completely.", \
      "Check the folder of `evidence`: does it exist, is it writable, is the disk full?") \
    X(MODEL_LOADING, 2008, INFO, \
      "A model is being compiled; the previous model remains loaded until then.", \
      "Nothing; `linkagectl stop` cancels the compilation.") \
    X(JOINT_VIOLATED, 2009, WARNING, \
      "A joint is violated beyond the limit of the policy (`residual`). The policy lets the run continue.", \
      "Shorten the step or allow more iterations; `linkage check` reports special properties of the model.") \
    X(ENERGY_OFF, 2010, WARNING, \
      "Energy has appeared since the start that neither inputs nor the error of the step explain, or the energy " \
      "balance exceeds the limit of the policy (`energy`).", \
      "Shorten the step; check the body that the text names and the forces on it.") \
    X(BEYOND_BOUNDS, 2011, WARNING, \
      "A body is farther away or faster than the policy allows (`bounds`). The policy lets the run continue.", \
      "Check the inputs: usually a unit is wrong, or an input of the model has no limits.") \
    X(ENERGY_JUMP, 2012, WARNING, \
      "Energy appeared in the mechanism without a source (`energy_jump`): the step is too long for the motion, " \
      "or a driven coordinate jumped.", \
      "Shorten the step, smooth the input that drives a coordinate, or increase the mass or reduce the " \
      "stiffness of light bodies on stiff springs.") \
    X(NOT_CONVERGED, 2013, WARNING, \
      "The last iteration of a step still moved bodies by more than the policy allows (`increment`).", \
      "Allow more `iterations`, or shorten the step.") \
    X(CHANGE_POINT, 2014, NOTICE, \
      "Constraint rows that were independent have become dependent (`pivot`): the mechanism is in or near a " \
      "change point. It may continue in more than one way there, and reactions may be large.", \
      "Nothing, if the mechanism is meant to pass this point. Otherwise avoid the pose or add a brace.") \
    X(TURNS_FAR, 2015, WARNING, \
      "A body rotates farther per step than the policy allows (`turn`). A balanced rotor is still stepped " \
      "accurately. The energy of a crank, an eccentric or a loop of joints may vary by some per cent, and from " \
      "1 rad per step on the result is unreliable.", \
      "Shorten the step; if `increment` is large too, allow more `iterations`. Raise the limit if all fast " \
      "bodies are balanced.") \
    X(PORT_APART, 2016, WARNING, \
      "The work of a port as computed by the model differs from the work reported by its bench by more than the " \
      "policy allows (`port`).", \
      "Compare units, sign and delay of the values that the bench sends. A delay of the line causes a " \
      "difference of delay times power; raise the limit by that amount.") \
    X(SNAPSHOT, 2017, INFO, "A snapshot was written, or the next run starts from a snapshot.", "Nothing.") \
    X(STRAINED, 2018, WARNING, \
      "A beam is strained by more than the policy allows (`strain`). Its elements are linear, and are not the " \
      "material any more.", \
      "Reduce the loads, or stiffen the beam. Raise the limit for a material that stays linear that far.") \
    X(CONTACT_OFF, 2019, WARNING, \
      "The passes of a step left contact forces with an error above the limit of the policy (`contact`).", \
      "Single steps with impacts do no harm. Otherwise take more iterations, or a smaller step.")

#define LKD_CONDITIONS_INPUTS(X) \
    X(INPUT_REFUSED, 3001, WARNING, \
      "An input sample was refused; the last good values continue to act.", \
      "See the text and `linkagectl inputs`; correct the bench.") \
    X(CLAIMED, 3002, NOTICE, "A bench has claimed input channels.", "Nothing.") \
    X(CLAIM_RELEASED, 3003, NOTICE, "A bench has released its channels.", "Nothing.") \
    X(CLAIM_TAKEN_OVER, 3004, WARNING, \
      "A bench has claimed channels of another bench that yields or whose lease had expired.", \
      "Make sure that the first bench was meant to end.") \
    X(CLAIM_REFUSED, 3005, WARNING, \
      "A claim was refused: the channel belongs to another bench, is unknown, or has another unit.", \
      "See the text; `linkagectl inputs` shows the owners.") \
    X(BENCH_LOST, 3006, WARNING, \
      "A bench that owns channels has been silent for longer than its lease; the policy acts.", \
      "Check the bench and its network; `linkagectl inputs` shows how long it has been silent.") \
    X(BENCH_BACK, 3007, NOTICE, "A lost bench sends samples again.", "Nothing.") \
    X(INPUT_TRIPPED, 3008, WARNING, \
      "The policy holds, zeroes or ramps an input.", \
      "See `linkagectl inputs` for the condition that tripped it.") \
    X(INPUT_RECOVERED, 3009, NOTICE, "An input follows its bench again after good samples.", "Nothing.") \
    X(INJECTING, 3010, WARNING, \
      "Faults are being injected on request; every output sample is marked.", \
      "`linkagectl inject --clear` ends the injection.") \
    X(INJECTED, 3011, NOTICE, "The injection of faults is over.", "Nothing.") \
    X(GATEWAY_REFUSED, 3012, WARNING, \
      "A message from a gateway (VILLASnode) was refused.", \
      "See the text; compare the positions in `villas` with the gateway's signals.") \
    X(GATEWAY_SILENT, 3013, WARNING, \
      "One direction of `villas` is inactive: the model lacks its channels, or another bench owns them.", \
      "The text names the channel: correct `villas: in` or `out`, or see `linkagectl inputs` for the owner.") \
    X(FALSE_REPLY, 3014, WARNING, \
      "A bench claims to answer an output sample that was not published, or was published too long ago. This " \
      "answer is not used to measure the latency of the bench's connection.", \
      "Correct the bench: it must copy `reply_to` and `reply_published_ns` from one sample.") \
    X(RULE_UNUSED, 3015, WARNING, \
      "The configuration has a rule for an input that the model does not have.", \
      "Correct `inputs: channels`, unless the rule is for another model.") \
    X(GATEWAY_FIGURES, 3016, INFO, \
      "Numbers of samples that a gateway (VILLASnode) sent and received in a run.", \
      "Nothing.")

#define LKD_CONDITIONS_OUTPUTS(X) \
    X(EXCHANGE_NOT_WOKEN, 4001, WARNING, \
      "The exchange thread could not be woken.", "See the text; if it recurs, report a defect.") \
    X(STREAM_OPENED, 4002, INFO, "A subscriber has requested a selection of the outputs.", "Nothing.") \
    X(STREAM_CLOSED, 4003, INFO, "No client subscribes to a selection of the outputs any more.", "Nothing.") \
    X(STREAM_REFUSED, 4004, WARNING, \
      "A selection of the outputs was refused.", "See the text.") \
    X(MOTION_NOT_SENT, 4005, WARNING, \
      "Datagrams for the motion platform could not be sent.", \
      "See the text: is there a route to the address of `motion`?") \
    X(OUTPUT_NOT_SENT, 4006, WARNING, \
      "An output sample could not be encoded or sent.", "See the text.") \
    X(MOTION_INCOMPLETE, 4007, WARNING, \
      "The model lacks outputs that `motion` names: their values are sent as 0, and a status bit is set.", \
      "Add the outputs to the model, or correct their names in `motion`.") \
    X(PLATFORM_STATE, 4008, NOTICE, "The state of the motion platform has changed.", "Nothing.") \
    X(PLATFORM_HELD, 4009, WARNING, \
      "The motion platform brakes and moves to its parking position without an order; the text gives the " \
      "reason.", \
      "Correct the cause. Once the platform is parked, `linkagectl platform engage` starts it again.") \
    X(PLATFORM_SENSOR, 4010, WARNING, \
      "The model lacks the inertial sensor that `cueing` names: the platform remains parked.", \
      "Add the output to the model, or correct `cueing: {sensor: ...}`.") \
    X(PLATFORM_GAIN, 4011, WARNING, \
      "The model lacks an output that should set a gain of the washout: the gain is not changed.", \
      "Add the output to the model, or correct `cueing: {gains: ...}`.")

#define LKD_CONDITIONS_REALTIME(X) \
    X(MEMORY_NOT_LOCKED, 5001, WARNING, \
      "The memory of the daemon is not locked: a page fault may delay a cycle.", \
      "Grant CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK; see `linkage doctor`.") \
    X(CORES_REFUSED, 5002, ERROR, \
      "The workers cannot be placed on the configured cores, or another rig uses these cores.", \
      "Change `realtime: workers`, `core` or `worker_cores`; the text lists the available cores and the owners " \
      "of the others.") \
    X(CORE_NOT_AVOIDED, 5003, WARNING, \
      "Other threads of the daemon may run on the cycle's core.", "See the text.") \
    X(IDLE_STATES, 5004, INFO, \
      "The processor may go into deep idle states between cycles.", \
      "Let the daemon's user write to /dev/cpu_dma_latency, or set limits on the kernel command line.") \
    X(DEGRADED, 5005, WARNING, \
      "The machine lacks one of the properties required for real time.", \
      "`linkage doctor` describes the remedy.") \
    X(ARMED, 5006, NOTICE, "The budget proof has succeeded: the step fits into its period.", "Nothing.") \
    X(NOT_ARMED, 5007, WARNING, \
      "The budget proof has failed: the step may not fit into its period.", \
      "The text gives a step size that would fit.") \
    X(HELD_BACK, 5008, WARNING, \
      "The kernel throttled the cycle in favour of other tasks.", \
      "Reduce spinning (`wake`), or see `linkage doctor` about real-time throttling.") \
    X(CYCLE_STUCK, 5009, ERROR, \
      "The cycle hangs and has not ended on request.", \
      "Move the thread that the text names to another core. If the text names none, this is a defect: restart " \
      "the daemon and report the model.") \
    X(CORE_HELD, 5010, WARNING, \
      "Other threads kept the threads of the cycle from running on their cores.", \
      "Move the threads that the text names to other cores; see `linkage doctor`.") \
    X(CORE_NOT_LOCKED, 5011, WARNING, \
      "The core of the cycle could not be locked: another rig may use it as well.", \
      "See the text; the folders of the cores in /sys/devices/system/cpu must exist.") \
    X(EXCHANGE_NORMAL, 5012, WARNING, \
      "The threads that transfer samples did not get the core or the priority set in `exchange`.", \
      "See the text; a priority needs CAP_SYS_NICE or RLIMIT_RTPRIO, see `linkage doctor`.")

#define LKD_CONDITIONS_SECURITY(X) \
    X(KEYS_REFUSED, 6001, ERROR, \
      "The server's key or the list of clients is missing, malformed or readable by others.", \
      "Correct the file that the text names; `linkagectl keygen` creates keys.") \
    X(KEYS_LOADED, 6002, NOTICE, "The list of clients was read.", "Nothing.") \
    X(RELOAD_REFUSED, 6003, WARNING, \
      "The list of clients could not be reloaded; the previous list remains in effect.", \
      "Correct the line that the text names and send SIGHUP again.") \
    X(TURNED_AWAY, 6004, WARNING, \
      "A connection was refused: the client's key is not on the list, or the client sent no key.", \
      "If you know the owner of the key, add it to the list of clients; otherwise find out which machine " \
      "connects.") \
    X(FORBIDDEN, 6005, WARNING, \
      "The role of the client's key does not allow a request or a sample.", \
      "Give the key another role in the list of clients, or correct the client.") \
    X(ZAP_FAILED, 6006, ERROR, \
      "The thread that authenticates connections failed; all new connections are refused.", \
      "See the text and restart the daemon.") \
    X(PRIVILEGES_REFUSED, 6007, ERROR, \
      "Privileges could not be dropped, or the configured user does not exist.", \
      "Correct `privileges`, or start the daemon as root or as that user.") \
    X(PRIVILEGES_DROPPED, 6008, INFO, \
      "The daemon was started by root and now runs as another user.", \
      "Nothing.") \
    X(CLEAR_TEXT, 6009, WARNING, \
      "An endpoint is open to other machines without keys and encryption; the configuration allows this.", \
      "Restrict it to a network that only the rig uses, or run the gateway on this machine.")

#define LKD_CONDITIONS_RECORDER(X) \
    X(RECORDING, 7001, NOTICE, "A recording has begun.", "Nothing.") \
    X(RECORDED, 7002, NOTICE, "A recording has ended; the log line contains its figures.", "Nothing.") \
    X(RECORDING_FAILED, 7003, ERROR, \
      "A recording could not start or had to end; the run continues.", \
      "See the text: folder, space, permissions, or a file that another process removed or changed.") \
    X(RECORDING_DROPS, 7004, WARNING, \
      "The disk is too slow: the recording lacks cycles. The run itself lacks none.", \
      "Record to a faster disk or fewer channels.") \
    X(RECORDER_FALLBACK, 7005, INFO, \
      "io_uring is not available; plain writes are used.", \
      "Nothing, unless cycles are missing in recordings.")

#define LKD_CONDITIONS_CONTROL(X) \
    X(REPLY_NOT_SENT, 8001, WARNING, \
      "A reply could not be sent: the client has ended or does not receive.", \
      "Check the client.") \
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
      "The step does not fit into its period (NO_BUDGET).", \
      "The text gives a step size that would fit.") \
    X(CHANNEL_CLAIMED, 8011, WARNING, \
      "A channel belongs to another bench (CLAIMED).", \
      "`linkagectl inputs` shows the owners; a channel is free after its release or after the lease has " \
      "expired.") \
    X(BAD_TOKEN, 8012, WARNING, \
      "No claim has this token (BAD_TOKEN).", \
      "Claim the channels again; all claims end when the daemon restarts.") \
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
      "The process that serves the endpoints ended and was restarted. All connections were lost; the run " \
      "continues.", \
      "Nothing if it happens once. If it happens often, the text gives the exit status, and the preceding lines " \
      "name the connected clients.") \
    X(LINE_FAILED, 9002, ERROR, \
      "The process that serves the endpoints could not be started; the daemon tries again.", \
      "See the text: memory, descriptors, or an endpoint that no longer exists.") \
    X(LINE_DESCRIPTORS, 9003, WARNING, \
      "The process that serves the endpoints has no free descriptors: it accepts no new connections.", \
      "Find out which clients connect; raise the limit (LimitNOFILE=, `ulimit -n`).") \
    X(LINE_SAID, 9004, WARNING, \
      "The process that serves the endpoints wrote to its standard error; libzmq does this before it aborts.", \
      "See the following line about the restart (LK-9001) and report both lines.")

#define LKD_CONDITIONS(X) \
    LKD_CONDITIONS_START(X) LKD_CONDITIONS_MODEL(X) LKD_CONDITIONS_INPUTS(X) \
    LKD_CONDITIONS_OUTPUTS(X) LKD_CONDITIONS_REALTIME(X) LKD_CONDITIONS_SECURITY(X) \
    LKD_CONDITIONS_RECORDER(X) LKD_CONDITIONS_CONTROL(X) LKD_CONDITIONS_LINE(X)

/* clang-format on */

#endif
