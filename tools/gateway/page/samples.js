// SPDX-License-Identifier: Apache-2.0
// Values of channels over time, as they came. Where nothing came for longer than usual there is a row of NaN: a gap.
const KEPT = 40000; // rows: ten minutes at 60 a second
const KEPT_NUMBERS = 6e6; // in all rows

export class Samples {
  /** @param n values of a row  @param gap the least time without rows that is a gap [s] */
  constructor(n, gap) {
    Object.assign(this, { n, gap, times: [], rows: [], usual: 0 });
    this.kept = Math.min(KEPT, Math.max(2000, Math.floor(KEPT_NUMBERS / Math.max(n, 1))));
  }

  add(time, values) {
    const last = this.times.at(-1);
    if (last !== undefined && time <= last) {
      if (time > last - 1) return; // again, or late
      this.clear(); // a clock that was set back, or another daemon
    } else if (last !== undefined) {
      if (time - last > Math.max(this.gap, 5 * this.usual)) this.end();
      else this.usual += 0.1 * (time - last - this.usual);
    }
    this.times.push(time);
    this.rows.push(Float64Array.from(values));
    if (this.times.length > 1.25 * this.kept) {
      this.times.splice(0, this.times.length - this.kept);
      this.rows.splice(0, this.rows.length - this.kept);
    }
  }

  /** the next sample begins another piece of the curves */
  end() {
    if (this.rows.length === 0 || Number.isNaN(this.rows.at(-1)[0])) return;
    this.times.push(this.times.at(-1) + 1e-6);
    this.rows.push(new Float64Array(this.n).fill(NaN));
  }

  clear() {
    this.times.length = 0;
    this.rows.length = 0;
  }

  value(row, index) {
    return this.rows[row][index];
  }

  /** number of rows before a time */
  before(time) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** the value at a time, of the row that is next to it */
  at(index, time) {
    const right = Math.min(this.before(time), this.times.length - 1);
    const left = Math.max(right - 1, 0);
    if (right < 0) return NaN;
    return this.value(time - this.times[left] < this.times[right] - time ? left : right, index);
  }

  newest(index) {
    return this.rows.at(-1)?.[index] ?? NaN;
  }

  /** the least and the largest value of each column of a picture, in the order in which they came; null: none came, NaN: a gap.
   * @param list of two places a column  Return: least and largest of all */
  reduce(index, from, width, list) {
    const columns = list.length / 2;
    const all = [Infinity, -Infinity];
    const isBack = []; // whether the largest of a column came before the least
    for (let i = Math.max(this.before(from) - 1, 0); i < this.times.length; i++) {
      const column = Math.max(Math.floor((this.times[i] - from) / width), 0);
      if (column >= columns) break;
      const value = this.value(i, index);
      const first = list[2 * column];
      if (Number.isNaN(value)) {
        const places = [2 * column, 2 * column + 1, 2 * column + 2]; // the next column, if this one is full
        const free = places.find((place) => list[place] === null);
        if (free !== undefined) list[free] = NaN;
      } else {
        all[0] = Math.min(all[0], value);
        all[1] = Math.max(all[1], value);
        if (first === null) list[2 * column] = value;
        else if (Number.isNaN(first)) list[2 * column + 1] = value;
        else this.widen(list, 2 * column, value, isBack);
      }
    }
    return all;
  }

  widen(list, at, value, isBack) {
    const [first, second] = [list[at], list[at + 1] ?? list[at]];
    if (Number.isNaN(second)) return;
    const [low, high] = [Math.min(first, second), Math.max(first, second)];
    if (value < low) isBack[at] = true;
    else if (value > high) isBack[at] = false;
    else if (list[at + 1] !== null) return;
    const [least, largest] = [Math.min(low, value), Math.max(high, value)];
    [list[at], list[at + 1]] = isBack[at] ? [largest, least] : [least, largest];
  }
}
