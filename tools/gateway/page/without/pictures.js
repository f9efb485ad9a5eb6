// SPDX-License-Identifier: Apache-2.0
// In the place of what draws (pictures.js), where the build had none of its libraries: the newest value, and why there is no more.
export const missing = 'Built without dygraphs and three: no curves and no picture. Install esbuild, libjs-three and libjs-dygraphs, and build again.';

export class View {
  constructor(canvas) {
    canvas.hidden = true;
    this.why = missing;
  }

  show() {}

  move() {}

  draw() {}
}

export class Plot {
  constructor(box, name, unit) {
    this.text = box.appendChild(document.createElement('p'));
    this.put = (value) => { this.text.textContent = `${name}  ${Number.isFinite(value) ? Number(value.toPrecision(4)) : ''} ${unit}`; };
    this.put(NaN);
  }

  add(_, value) {
    this.value = value;
  }

  draw(frozen) {
    if (!frozen) this.put(this.value);
  }

  recolor() {}

  remove() {}
}
