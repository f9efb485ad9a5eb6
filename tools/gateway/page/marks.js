// SPDX-License-Identifier: Apache-2.0
// What is drawn over the picture of the mechanism: the axes of the world, a scale, and forces as arrows.
import { Vector3 } from 'three';

const AXES = [[[1, 0, 0], 'x', '#d6453d'], [[0, 1, 0], 'y', '#3a9a46'], [[0, 0, 1], 'z', '#3f7fe0']];
const [TRIAD_PX, EDGE_PX, BAR_PX, HEAD_PX] = [34, 14, 130, 9];
const FONT = '12px system-ui, sans-serif';

/** the largest of 1, 2 and 5 times a power of ten that is not above a length */
export function niceLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return [5, 2, 1].find((n) => n * power <= length * (1 + 1e-9)) * power;
}

const inWords = (length) => (length >= 1 ? `${length} m` : `${Number((1e3 * length).toPrecision(2))} mm`);

function drawTriad(context, camera, height) {
  const back = camera.quaternion.clone().inverse();
  const [left, top] = [EDGE_PX + TRIAD_PX, height - EDGE_PX - TRIAD_PX];
  const ends = AXES.map(([axis, name, color]) => ({ name, color, at: new Vector3(...axis).applyQuaternion(back) }));
  ends.sort((a, b) => a.at.z - b.at.z); // far ends first
  for (const { name, color, at } of ends) {
    const [x, y] = [left + TRIAD_PX * at.x, top - TRIAD_PX * at.y];
    Object.assign(context, { strokeStyle: color, fillStyle: color, lineWidth: 2 });
    context.beginPath();
    context.moveTo(left, top);
    context.lineTo(x, y);
    context.stroke();
    context.fillText(name, x + 7 * Math.sign(at.x || 1) - 3, y + (at.y < -0.3 ? 12 : 3) - (at.y > 0.5 ? 5 : 0));
  }
}

function drawScale(context, view, width, height) {
  const length = niceLength(BAR_PX * view.pixel);
  const [right, top, size] = [width - EDGE_PX, height - EDGE_PX, length / view.pixel];
  Object.assign(context, { strokeStyle: view.colors.soft, fillStyle: view.colors.soft, lineWidth: 1.5 });
  context.beginPath();
  context.moveTo(right - size, top - 5);
  context.lineTo(right - size, top);
  context.lineTo(right, top);
  context.lineTo(right, top - 5);
  context.stroke();
  context.textAlign = 'center';
  context.fillText(inWords(length), right - size / 2, top - 7);
  context.textAlign = 'left';
}

/* an arrow: { from, to: places in the world, color: name of a colour of the page, text } */
function drawArrow(context, view, { from, to, color, text }) {
  const [[x0, y0], [x1, y1]] = [view.project(from), view.project(to)];
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (!(length > 2)) return;
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = Math.min(HEAD_PX, length);
  Object.assign(context, { strokeStyle: view.colors[color], fillStyle: view.colors[color], lineWidth: 2 });
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1 - head * dx, y1 - head * dy);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - head * dx + 0.45 * head * dy, y1 - head * dy - 0.45 * head * dx);
  context.lineTo(x1 - head * dx - 0.45 * head * dy, y1 - head * dy + 0.45 * head * dx);
  context.fill();
  if (text) context.fillText(text, x1 + 6, y1 - 4);
}

export function drawMarks(view, width, height, scale) {
  const { marks } = view;
  const [across, down] = [Math.floor(width * scale), Math.floor(height * scale)];
  if (marks.width !== across || marks.height !== down) Object.assign(marks, { width: across, height: down });
  const context = marks.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  if (!view.scene) return;
  context.font = FONT;
  for (const arrow of view.arrows) drawArrow(context, view, arrow);
  drawTriad(context, view.camera, height);
  drawScale(context, view, width, height);
}
