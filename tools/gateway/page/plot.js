// SPDX-License-Identifier: Apache-2.0
// A number over the last seconds: canvas, axis, cursor. Times are seconds UTC.

const KEPT = 2400;
const WINDOW_S = 15;

function tidy(value) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : '';
}

export class Plot {
  /** @param box the element it fills  @param name, unit of the value */
  constructor(box, name, unit) {
    this.name = name;
    this.unit = unit;
    this.canvas = box.appendChild(document.createElement('canvas'));
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${name} over time`);
    this.times = [];
    this.values = [];
    this.cursor = null;
    this.changed = true;
    this.canvas.onpointermove = (event) => { this.cursor = event.offsetX; this.changed = true; };
    this.canvas.onpointerleave = () => { this.cursor = null; this.changed = true; };
  }

  add(time, value) {
    this.times.push(time);
    this.values.push(value);
    this.changed = true;
    if (this.times.length > 2 * KEPT) {
      this.times.splice(0, KEPT);
      this.values.splice(0, KEPT);
    }
  }

  range(first) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = first; i < this.values.length; i++) {
      low = Math.min(low, this.values[i]);
      high = Math.max(high, this.values[i]);
    }
    const room = Math.max((high - low) * 0.08, Math.abs(high) * 1e-6, 1e-9);
    return [low - room, high + room];
  }

  draw() {
    const scale = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const pen = this.canvas.getContext('2d');
    const style = getComputedStyle(this.canvas);
    const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.canvas.width !== across || this.canvas.height !== down) Object.assign(this.canvas, { width: across, height: down });
    else if (!this.changed) return;
    this.changed = false;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = '12px system-ui, sans-serif';
    pen.fillStyle = style.color;
    const end = this.times.at(-1) ?? 0;
    const first = Math.max(this.times.findIndex((time) => time >= end - WINDOW_S), 0);
    const [low, high] = this.range(first);
    const x = (time) => width * (1 - (end - time) / WINDOW_S);
    const y = (value) => 18 + (height - 34) * (high - value) / (high - low);
    if (this.times.length > 0) {
      pen.fillText(tidy(high), 2, 28);
      pen.fillText(tidy(low), 2, height - 18);
      pen.fillText(`-${WINDOW_S} s`, 2, height - 3);
      pen.strokeStyle = style.getPropertyValue('--accent');
      pen.lineWidth = 1.6;
      pen.beginPath();
      for (let i = first; i < this.times.length; i++) pen.lineTo(x(this.times[i]), y(this.values[i]));
      pen.stroke();
    }
    let shown = this.values.length - 1;
    if (this.cursor !== null && shown >= 0) {
      const at = end - WINDOW_S * (1 - this.cursor / width);
      for (shown = first; shown < this.times.length - 1 && this.times[shown] < at;) shown++;
      pen.fillRect(x(this.times[shown]), 16, 1, height - 32);
      pen.fillText(`${(this.times[shown] - end).toFixed(2)} s`, Math.min(x(this.times[shown]) + 4, width - 50), height - 3);
    }
    pen.font = '600 13px system-ui, sans-serif';
    pen.fillText(`${this.name}  ${tidy(this.values[shown])} ${this.unit === '1' ? '' : this.unit}`, 2, 13);
  }
}
