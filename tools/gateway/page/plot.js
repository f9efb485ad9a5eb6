// SPDX-License-Identifier: Apache-2.0
// A number over the last seconds, by uPlot. Times are seconds UTC.
import UPlot from 'uplot';

const KEPT = 2400;
const WINDOW_S = 15;
const STEP_S = 5; // of the axis

const tidy = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : '');

export class Plot {
  static cursors = UPlot.sync('outputs'); // all have one

  /** @param box the element it fills  @param name, unit of the value */
  constructor(box, name, unit) {
    this.name = name;
    this.unit = unit === '1' ? '' : unit;
    this.times = [];
    this.values = [];
    this.end = 0;
    this.title = box.appendChild(document.createElement('h3'));
    this.area = box.appendChild(document.createElement('div'));
    this.area.className = 'curve';
    Object.assign(this.area, { tabIndex: 0, role: 'img', ariaLabel: `${name} over time: arrow keys move a cursor, Escape removes it` });
    this.recolor();
    this.chart = new UPlot(this.options(), [[], []], this.area);
    this.area.onkeydown = (event) => { if (this.step(event)) event.preventDefault(); };
  }

  options() {
    const axis = { stroke: () => this.colors.soft, grid: { stroke: () => this.colors.line, width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
    return {
      ...this.size(),
      legend: { show: false },
      padding: [8, 8, 0, 0],
      scales: { x: { time: false, range: () => [this.end - WINDOW_S, this.end] }, y: { range: (_, low, high) => (low === null ? [0, 1] : UPlot.rangeNum(low, high, 0.1, true)) } },
      axes: [
        { ...axis, size: 24, splits: () => [3, 2, 1, 0].map((n) => this.end - n * STEP_S), values: (_, places) => places.map((place) => `${Math.round(place - this.end)} s`) },
        { ...axis, size: 62, space: 26, values: (_, places) => places.map(tidy) },
      ],
      series: [{}, { stroke: () => this.colors.accent, width: 1.6, points: { show: false } }],
      cursor: { y: false, drag: { x: false, y: false }, points: { fill: () => this.colors.accent }, sync: { key: Plot.cursors.key } },
      hooks: { setCursor: [() => this.write()] },
    };
  }

  size() {
    return { width: Math.max(this.area.clientWidth, 100), height: Math.max(this.area.clientHeight, 60) };
  }

  /** colours of the page, which may be others from now on */
  recolor() {
    const style = getComputedStyle(this.area);
    this.colors = Object.fromEntries(['accent', 'soft', 'line'].map((name) => [name, style.getPropertyValue(`--${name}`)]));
    this.chart?.redraw(false, false);
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

  /** the cursor by keys, a sample or ten at a time. Return: whether it was one of these keys */
  step({ key, shiftKey }) {
    const { chart } = this;
    const [times] = chart.data;
    const at = chart.cursor.idx ?? times.length - 1;
    const by = shiftKey ? 10 : 1;
    const to = { ArrowLeft: at - by, ArrowRight: at + by, Home: 0, End: times.length - 1, Escape: null }[key];
    if (to === undefined || times.length === 0) return false;
    const left = to === null ? -10 : chart.valToPos(times[Math.min(Math.max(to, 0), times.length - 1)], 'x');
    chart.setCursor({ left, top: to === null ? -10 : 0 });
    return true;
  }

  /** the value at the cursor, or the newest, above the curve */
  write() {
    const [times, values] = this.chart.data;
    const at = this.chart.cursor.idx;
    const shown = at ?? values.length - 1;
    const behind = at === null || at === undefined ? '' : `  at ${(times[at] - this.end).toFixed(2)} s`;
    this.title.textContent = `${this.name}  ${tidy(values[shown])} ${this.unit}${behind}`;
  }

  /** @param frozen the curve stays as it is, and what comes is kept for later */
  draw(frozen) {
    const { width, height } = this.size();
    if (this.chart.width !== width || this.chart.height !== height) this.chart.setSize({ width, height });
    if (frozen || !this.changed) return;
    this.changed = false;
    this.end = this.times.at(-1);
    let first = this.times.length - 1;
    while (first > 0 && this.times[first - 1] >= this.end - WINDOW_S) first--;
    this.chart.setData([this.times.slice(first), this.values.slice(first)]);
    this.write();
  }

  remove() {
    this.chart.destroy();
  }
}
