// SPDX-License-Identifier: Apache-2.0
// In the place of what draws (pictures.js), where the build had none of its libraries: the newest values, and why there is no more.
export const missing = 'Built without dygraphs and three: no curves and no picture. Install esbuild, libjs-three and libjs-dygraphs, and build again.';

export class View {
  constructor(canvas) {
    canvas.hidden = true;
    Object.assign(this, { why: missing, arrows: [], frames: 0 });
  }

  show() {}

  move() {}

  draw() {}

  recolor() {}

  showBoxes() {}

  look() {}

  lookFrom() {}

  fit() {}

  find() {}
}

export class Hexapod {} // none is made where there is no picture

export class Plot {
  constructor(box) {
    this.text = box.appendChild(document.createElement('p'));
    Object.assign(this, { box, curves: [] });
  }

  takes() {
    return true;
  }

  setCurves(curves) {
    this.curves = curves;
  }

  draw() {
    this.write();
  }

  write() {
    this.text.textContent = this.curves.map(({ name, unit, samples, index }) => {
      const value = samples.newest(index);
      return `${name}  ${Number.isFinite(value) ? Number(value.toPrecision(4)) : '–'} ${unit}`;
    }).join('\n');
  }

  recolor() {}

  remove() {
    this.box.remove();
  }
}
