// SPDX-License-Identifier: Apache-2.0
// A driver at the page: keys or a gamepad become the inputs of a car that this page has claimed, and the picture follows the
// car from behind. A model is a car if it has an input `steer`, and one of `throttle` and `brake`.
import { by, show, write } from './dom.js';
import { claim, isHeld, release, setValues } from './inputs.js';
import { view } from './mechanism.js';
import { newest } from './plots.js';
import { on, rig } from './rig.js';

const KEYS = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'faster', ArrowDown: 'slower' };
const PEDALS = ['throttle', 'brake'];
const LATERAL = 6; // m/s^2 of a full deflection, which a driver of keys can still hold
const PER_ANGLE = 0.02; // of the curvature [1/m] of a car to the angle of its steering wheel [rad], roughly: a wheelbase of 2.8 m, a ratio of 18
const [TO, BACK] = [0.8, 2]; // full deflections a second of a key that is held, and of one that is not
const PRESSED = 2.5; // pedal strokes a second of a key
const DEAD = 0.08; // of a stick
const [AWAY, NEAR] = [60, 15]; // m: what is away from the start, and near enough to it for the end of a lap
const LAST_MS = 100; // until the last values of a driver have been sent, after which the inputs are released
const AGAIN_MS = 3000; // until inputs are claimed again that were lost, as by a page that was not heard of
const RPM = 30 / Math.PI;

export const driving = { on: false, steer: 0, throttle: 0, brake: 0, speed: 0, lap: null, best: null, laps: 0, source: '' };
const held = new Set();
let [last, asked, start, before, place] = [0, 0, null, null, null];

const channelOf = (list, name) => (list ?? []).find((channel) => channel.name === name);
const inputs = () => ['steer', ...PEDALS].map((name) => channelOf(rig.model?.inputs, name)).filter(Boolean);
const isCar = () => inputs().length > 1 && inputs()[0].name === 'steer' && rig.model.scene;
const towards = (value, wanted, most) => value + Math.min(Math.max(wanted - value, -most), most);

// ---- the devices ----

/* the pad that is used: of the standard layout, or a wheel with its pedals on the axes 1 and 2, at rest 1 and pressed -1 */
function padValues() {
  const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.connected);
  if (!pad) return null;
  const stick = pad.axes[0] ?? 0;
  if (pad.mapping !== 'standard') return { steer: stick, isWheel: true, throttle: (1 - (pad.axes[1] ?? 1)) / 2, brake: (1 - (pad.axes[2] ?? 1)) / 2 };
  const beyond = Math.max(Math.abs(stick) - DEAD, 0) / (1 - DEAD);
  return { steer: Math.sign(stick) * beyond ** 1.5, throttle: pad.buttons[7]?.value ?? 0, brake: pad.buttons[6]?.value ?? 0 };
}

/* the largest angle of the steering wheel at this speed, which turns the car by LATERAL */
function fullSteer(channel) {
  const most = Math.min(channel.high ?? 8, -(channel.low ?? -8));
  return Math.min(most, LATERAL / Math.max(driving.speed, 1) ** 2 / PER_ANGLE);
}

function follow(seconds) {
  const pad = padValues();
  const channel = channelOf(rig.model.inputs, 'steer');
  const uses = pad && (pad.isWheel || Math.abs(pad.steer) + pad.throttle + pad.brake > 0.02);
  if (held.size > 0) driving.source = 'keys';
  else if (uses) driving.source = pad.isWheel ? 'wheel' : 'gamepad';
  if (driving.source === 'keys' || !pad) {
    const wanted = Number(held.has('left')) - Number(held.has('right'));
    const full = fullSteer(channel);
    driving.steer = Math.min(Math.max(towards(driving.steer, wanted * full, (wanted === 0 ? BACK : TO) * full * seconds), -full), full);
    driving.throttle = towards(driving.throttle, Number(held.has('faster')), PRESSED * seconds);
    driving.brake = towards(driving.brake, Number(held.has('slower')), PRESSED * seconds);
  } else { // axes of pads grow to the right, a steering wheel turns to the left
    driving.steer = -pad.steer * (pad.isWheel ? Math.min(channel.high ?? 8, -(channel.low ?? -8)) : fullSteer(channel));
    Object.assign(driving, { throttle: pad.throttle, brake: pad.brake });
  }
}

function take(ms) {
  const names = inputs().map(({ name }) => name);
  if (names.every(isHeld) || ms - asked < AGAIN_MS) return;
  asked = ms;
  claim(names);
}

function send() {
  for (const channel of inputs()) setValues(channel.name, [driving[channel.name]]);
}

// ---- begin and end ----

function begin() {
  held.clear();
  Object.assign(driving, { on: true, steer: 0, throttle: 0, brake: 0, source: '' });
  view.chase(rig.model.scene.bodies.indexOf('chassis') < 0 ? 0 : rig.model.scene.bodies.indexOf('chassis'));
  by('view').focus();
  draw();
}

function end() {
  if (!driving.on) return;
  Object.assign(driving, { on: false, steer: 0, throttle: 0, brake: 0 });
  send();
  const names = inputs().map(({ name }) => name);
  setTimeout(() => { if (!driving.on) release(names); }, LAST_MS);
  view.chase(null);
  draw();
}

by('drive').onclick = () => (driving.on ? end() : begin());

document.addEventListener('keydown', (event) => {
  if (!driving.on || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('dialog, input, select, textarea')) return;
  if (event.key === 'Escape') { end(); return; }
  if (!KEYS[event.key]) return;
  held.add(KEYS[event.key]);
  event.preventDefault();
  event.stopPropagation(); // they turn the picture otherwise
}, true);
document.addEventListener('keyup', ({ key }) => held.delete(KEYS[key]), true);
window.addEventListener('blur', () => held.clear()); // a key that is let go elsewhere is not heard of

// ---- what the car does ----

/* a lap ends where the car passes the line through its first place, across its first direction */
function measure(time, at, ahead) {
  if (!start || time < start.time) start = { time, at, ahead };
  const from = at.map((value, k) => value - start.at[k]);
  const along = from[0] * start.ahead[0] + from[1] * start.ahead[1];
  const away = Math.hypot(from[0], from[1]);
  if (driving.speed < 0.1 && driving.lap === null) start = { time, at, ahead };
  start.isAway ||= away > AWAY;
  if (start.isAway && before < 0 && along >= 0 && away < NEAR) {
    const lap = time - start.time;
    Object.assign(driving, { lap, best: Math.min(lap, driving.best ?? lap), laps: driving.laps + 1 });
    Object.assign(start, { time, isAway: false });
  }
  before = along;
  driving.running = time - start.time;
}

on('poses', ({ time, values }) => {
  if (!isCar()) return;
  const body = Math.max(rig.model.scene.bodies.indexOf('chassis'), 0);
  const [x, y, z, qw, qx, qy, qz] = values.slice(7 * body, 7 * body + 7);
  const ahead = [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qw * qz)];
  const seconds = place ? time - place.time : 0;
  if (seconds > 0) {
    const way = (x - place.at[0]) * ahead[0] + (y - place.at[1]) * ahead[1];
    driving.speed += (Math.abs(way / seconds) - driving.speed) * Math.min(seconds / 0.1, 1);
  }
  place = { time, at: [x, y, z] };
  measure(time, [x, y, z], ahead);
});

// ---- the cockpit ----

const seconds = (value) => (Number.isFinite(value) ? `${Math.floor(value / 60)}:${(value % 60).toFixed(1).padStart(4, '0')}` : '');

function draw() {
  const may = Boolean(isCar());
  show(by('drive'), may);
  by('drive').disabled = !rig.operates;
  by('drive').ariaPressed = String(driving.on);
  write(by('drive'), driving.on ? 'Stop driving (Esc)' : 'Drive');
  show(by('cockpit'), driving.on);
  if (!driving.on) return;
  const torque = newest(channelOf(rig.model.outputs, 'steering_torque') ?? {}, 0);
  const rate = newest(channelOf(rig.model.outputs, 'engine_speed') ?? {}, 0);
  write(by('speed'), (3.6 * driving.speed).toFixed(0));
  write(by('rpm'), Number.isFinite(rate) ? `${(RPM * rate).toFixed(0)} rpm` : '');
  write(by('torque'), Number.isFinite(torque) ? `${torque.toFixed(1)} N m` : '');
  write(by('lap'), `lap ${seconds(driving.running)}`);
  write(by('best'), driving.best === null ? '' : `last ${seconds(driving.lap)}, best ${seconds(driving.best)}`);
  write(by('source'), driving.source || 'arrow keys, or a gamepad');
  by('wheel').style.transform = `rotate(${(-driving.steer).toFixed(3)}rad)`;
  for (const name of PEDALS) by(name).style.height = `${(100 * driving[name]).toFixed(0)}%`;
}

/** a picture. @param ms of the page */
export function drive(ms) {
  const passed = Math.min((ms - last) / 1000, 0.1);
  last = ms;
  if (driving.on && rig.operates && isCar()) {
    take(ms);
    follow(passed);
    send();
  } else if (driving.on) end();
  draw();
}

on('model', () => {
  end();
  [start, before, place] = [null, null, null];
  Object.assign(driving, { speed: 0, lap: null, best: null, laps: 0 });
  draw();
});
on('role', draw);
