// SPDX-License-Identifier: Apache-2.0
// The status bar: state, model, time, deadlines, recording, and the commands that the state allows.
import { ask, by, make, rounded, show, write } from './dom.js';
import { isStale, on, rig, say, silentMs } from './rig.js';

const RECENT_MS = 10000;
const BAD_SHARE = 1e-3; // of cycles that miss their deadline
const LOOKS = { running: 'good', paused: 'wait', arming: 'wait', armed: 'wait', ready: 'off', empty: 'off', loading: 'wait', fault: 'bad' };
// states in which a command makes sense, and the question before a command that does harm
const COMMANDS = {
  load: { states: ['empty', 'ready', 'armed'] },
  arm: { states: ['ready'], only: true },
  start: { states: ['armed', 'paused'], only: true, ask: 'Start? The mechanism moves, and so does what follows it.' },
  pause: { states: ['running'], only: true },
  stop: { states: ['running', 'paused', 'armed', 'arming', 'loading'] },
  reset: { states: ['ready', 'armed', 'paused', 'fault'], only: true, ask: 'Reset? The state of the run is lost.' },
  snapshot: { states: ['running', 'paused', 'armed', 'ready'] },
  restore: { states: ['ready', 'armed', 'paused'] },
  record: { states: ['ready', 'armed', 'running', 'paused'] },
};
const UNFIT = 'LK-8008'; // the machine is not fit for real time, and no degraded run was asked for
const SHOWN_MS = 4000; // an answer without a complaint
const misses = []; // { at, overruns } of the last seconds
let [shownReasons, answered, before, isRefused] = ['', 0, '', false];

// ---- state of the rig ----

/** what ended a run or holds it back, which is told at once; and what else there is to say, if it is asked for */
function reasons(status) {
  const urgent = [];
  if (status.fault) urgent.push(status.fault);
  if (isRefused && status.proof?.text) urgent.push(`not armed: ${status.proof.text}`);
  const rest = [];
  const flags = status.flags.filter((flag) => flag !== 'degraded');
  if (flags.length > 0) rest.push(`inputs: ${flags.join(', ')}`);
  if (status.state === 'armed' && status.proof) rest.push(`proven: ${status.proof.text}`);
  if (status.recording?.trouble) rest.push(status.recording.trouble);
  if (status.exchange_normal) rest.push(`samples at normal priority, late under load: ${status.exchange_normal}`);
  return [urgent, rest.concat(status.degraded.map((text) => `degraded: ${text}`))];
}

function drawReasons(urgent, rest) {
  show(by('why'), rest.length > 0);
  write(by('why'), `${rig.status?.degraded.length > 0 ? 'degraded' : 'notes'} (${rest.length})`);
  const list = by('why').ariaExpanded === 'true' ? [...urgent, ...rest] : urgent;
  show(by('reasons'), list.length > 0);
  by('reasons').dataset.look = urgent.length > 0 ? 'bad' : 'warn';
  const text = list.join('\n');
  if (text === shownReasons) return;
  shownReasons = text;
  by('reasons').replaceChildren(...list.map((line) => make('li', line)));
}

by('ask-stop').onclick = () => {
  by('ask').close('no');
  act('stop');
};

/** missed deadlines of the last ten seconds */
function countMisses(status) {
  const now = performance.now();
  if (misses.length > 0 && status.overruns < misses.at(-1).overruns) misses.length = 0;
  if (misses.length > 0 && now - misses.at(-1).at > RECENT_MS) misses.length = 0; // nothing was heard in between
  misses.push({ at: now, overruns: status.overruns });
  while (misses.length > 2 && misses[1].at < now - RECENT_MS) misses.shift();
  return status.overruns - misses[0].overruns;
}

function drawDeadlines(status) {
  const n = countMisses(status);
  const runs = ['running', 'paused', 'fault'].includes(status.state) && status.period_ns > 0;
  show(by('misses'), runs);
  by('misses').dataset.look = n === 0 ? 'good' : n > BAD_SHARE * RECENT_MS * 1e6 / status.period_ns ? 'bad' : 'warn';
  write(by('misses'), n === 0 ? 'no misses' : `${n} missed`);
  by('misses').title = `deadlines missed in the last 10 s; ${status.overruns} since the start`;
}

function drawBar() {
  const stale = isStale();
  document.body.classList.toggle('stale', stale);
  if (stale) {
    by('bar').dataset.look = 'off';
    write(by('state'), 'no news');
    drawReasons([rig.status === null ? 'the daemon has not answered yet'
      : `nothing heard for ${Math.round(silentMs() / 1000)} s: what is below is old; the rig may do anything`], []);
    drawButtons();
    return;
  }
  const { status } = rig;
  const warns = status.state === 'running' && (status.flags.length > 0 || status.degraded.length > 0);
  by('bar').dataset.look = warns ? 'warn' : LOOKS[status.state] ?? 'off';
  write(by('state'), status.state);
  write(by('model'), status.model);
  write(by('time'), `${status.time_s.toFixed(2)} s`);
  write(by('rate'), status.period_ns > 0 ? `${rounded(1e6 / status.period_ns, 4)} kHz` : '');
  const held = rig.report?.claims.map(({ bench }) => bench) ?? [];
  show(by('claims'), held.length > 0);
  write(by('claims'), held.length === 1 ? `bench ${held[0]}` : `${held.length} benches`);
  by('claims').title = held.join(', ');
  drawDeadlines(status);
  drawReasons(...reasons(status));
}

on('status', (status) => {
  if (status.state !== before) isRefused = before === 'arming' && status.state === 'ready';
  before = status.state;
  by('progress').value = status.proof?.progress ?? 0;
  show(by('arming'), status.state === 'arming');
  show(by('recording'), Boolean(status.recording?.active));
  by('recording').title = status.recording?.active ? `recording ${status.recording.file}: ${status.recording.cycles} cycles` : '';
  document.title = `${status.state} - ${status.model || 'linkaged'}`;
  drawBar();
  drawButtons();
});
by('why').onclick = () => {
  by('why').ariaExpanded = String(by('why').ariaExpanded !== 'true');
  drawBar();
};
setInterval(drawBar, 250);

// ---- commands ----

export function drawButtons() {
  const state = rig.status?.state;
  for (const button of document.querySelectorAll('[data-op]')) {
    const { states, only } = COMMANDS[button.dataset.op];
    const fits = states.includes(state);
    button.disabled = !rig.operates || !fits || (isStale() && button.dataset.op !== 'stop');
    if (only) show(button, fits);
  }
  show(by('degraded-box'), state === 'ready');
  by('degraded').disabled = !rig.operates;
  write(document.querySelector('[data-op=record]'), rig.status?.recording?.active ? 'End recording' : 'Record…');
  write(document.querySelector('[data-op=start]'), state === 'paused' ? 'Go on' : 'Start');
}

const actions = {
  load: () => by('file').click(),
  arm: () => say({ op: 'arm', allow_degraded: by('degraded').checked }),
  stop: () => say({ op: 'stop' }),
  async snapshot() {
    const name = await ask('Keep the state of the run in a file of the daemon.', `state-${rig.status.step}`);
    if (name) say({ op: 'snapshot', name });
  },
  async restore() {
    const name = await ask('Go on from a snapshot of the daemon. The state of the run is lost.', '');
    if (name) say({ op: 'restore', name });
  },
  async record() {
    if (rig.status.recording?.active) { say({ op: 'record', stop: true }); return; }
    const name = await ask('Record the run. Without a name it is called by model and time.', '');
    if (name !== null) say({ op: 'record', stop: false, name });
  },
};

export async function act(op) {
  if (document.querySelector(`[data-op=${op}]`).disabled) return;
  by('menu').open = false;
  if (actions[op]) { await actions[op](); return; }
  if (!COMMANDS[op].ask || await ask(COMMANDS[op].ask)) say({ op });
}

async function loadFile() {
  const [file] = by('file').files;
  by('file').value = '';
  if (!file || (rig.status?.model && !await ask(`Load ${file.name} in the place of ${rig.status.model}?`))) return;
  say({ op: 'load', name: file.name, text: await file.text() });
}

// ---- answers ----

function hearAnswer({ to, ok, text, id, errors }) {
  if (to === 'login' || (['set', 'claim', 'release'].includes(to) && ok)) return;
  const remedy = rig.remedies[id];
  const isDegraded = !ok && id === UNFIT;
  // the remedy of a page is a button, not a command line
  const help = ok || !remedy || isDegraded ? [] : [remedy.remedy];
  const lines = [`${to}: ${text}${id ? ` (${id})` : ''}`, ...(errors ?? []).slice(1), ...help];
  by('answer').dataset.ok = ok;
  by('answer-text').textContent = lines.join('\n');
  show(by('answer'), true);
  show(by('arm-degraded'), isDegraded);
  clearTimeout(answered);
  if (ok) answered = setTimeout(() => show(by('answer'), false), SHOWN_MS);
}

on('answer', hearAnswer);
on('role', ({ operates, may_operate: mayOperate }) => {
  show(by('controls-take'), mayOperate && !operates);
  show(by('controls-give'), operates);
  write(by('role'), operates ? 'this page operates the rig' : 'this page looks on');
  drawButtons();
});
for (const button of document.querySelectorAll('[data-op]')) button.onclick = () => act(button.dataset.op);
by('file').onchange = loadFile;
by('answer-close').onclick = () => show(by('answer'), false);
by('arm-degraded').onclick = () => {
  by('degraded').checked = true;
  show(by('answer'), false);
  say({ op: 'arm', allow_degraded: true });
};
by('controls-take').onclick = () => say({ op: 'take-controls' });
by('controls-give').onclick = () => say({ op: 'give-controls' });
document.addEventListener('pointerdown', ({ target }) => { if (!by('menu').contains(target)) by('menu').open = false; });
