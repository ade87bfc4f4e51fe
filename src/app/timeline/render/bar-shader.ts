/** The shader of the bars: forms, shares, patterns and load areas (state-painter.ts draws the same with Canvas 2D). */
import { FORM_DENSITY, FORM_LOAD, FORM_MIXED, FORM_PLOT } from '../tiles/instances.ts';
import * as codes from '../../draw/draw-codes.ts';
import {
  BASE_LINE_PX,
  PATTERN_MIN_PX,
  PATTERN_PERIOD,
  READY_PART,
  SPAN_INSET_PX,
} from '../../draw/state-painter.ts';
import { BLOCK_ROWS } from './bars.ts';

export const CODE_COUNT = codes.DRAW_STYLES.length;

const FORMS: readonly codes.Form[] = ['none', 'full', 'ready', 'wait', 'hatch', 'line', 'span'];

/** A GLSL float, which needs a decimal point. */
const float = (value: number) => value.toFixed(6);
const list = (numbers: readonly number[]) => `float[${numbers.length}](${numbers.map(float).join(', ')})`;
const form = (name: codes.Form) => float(FORMS.indexOf(name));
const pattern = (name: codes.Pattern) => float(codes.PATTERNS.indexOf(name));
const period = (name: codes.Pattern) => float(PATTERN_PERIOD[name]);

export const VERTEX_SHADER = `#version 300 es
precision highp float;
in vec2 aCorner;
in vec2 aSpan;
in vec4 aCode;
in vec4 aOnCpu;
in vec4 aOther;
uniform vec2 uSize;
uniform vec4 uPlace;
uniform vec2 uRows[${BLOCK_ROWS}];
flat out vec2 vCode;
flat out vec4 vOnCpu;
flat out vec4 vOther;
flat out vec3 vBox;
out vec2 vAt;

void main() {
  vec2 row = uRows[int(aCode.x * 255.0 + 0.5)];
  float begin = floor(uPlace.x + aSpan.x * uPlace.y + 0.5);
  float end = max(begin + 1.0, floor(uPlace.x + aSpan.y * uPlace.y + 0.5));
  vec2 sides = clamp(vec2(begin, end), uPlace.z, uPlace.w);
  float x = mix(sides.x, sides.y, aCorner.x);
  float y = row.x + row.y * aCorner.y;
  vCode = floor(aCode.yz * 255.0 + 0.5);
  vOnCpu = aOnCpu;
  vOther = aOther;
  vBox = vec3(begin, end - begin, row.y);
  vAt = vec2(x, row.y * (1.0 - aCorner.y));
  gl_Position = vec4(x / uSize.x * 2.0 - 1.0, 1.0 - y / uSize.y * 2.0, 0.0, 1.0);
}
`;

/** vAt: x in device pixels, y in device pixels above the base of the bar. vBox: left edge, width and height. */
export const FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision highp int;
flat in vec2 vCode;
flat in vec4 vOnCpu;
flat in vec4 vOther;
flat in vec3 vBox;
in vec2 vAt;
uniform float uRatio;
uniform float uPhase;
uniform float uIsolated;
uniform vec3 uSolid[${CODE_COUNT}];
uniform vec3 uTint[${CODE_COUNT}];
uniform vec3 uPattern[${CODE_COUNT}];
uniform vec3 uSunken;
uniform vec3 uLine;
uniform vec3 uLoad;
uniform vec3 uLoadLine;
uniform vec3 uDensity;
out vec4 oColour;

const float FORM[${CODE_COUNT}] = ${list(codes.DRAW_STYLES.map((s) => FORMS.indexOf(s.form)))};
const float PATTERN[${CODE_COUNT}] = ${list(codes.DRAW_STYLES.map((s) => codes.PATTERNS.indexOf(s.pattern)))};

void show(int code, vec3 colour) {
  float alpha = uIsolated < 0.5 || abs(uIsolated - float(code)) < 0.5 ? 1.0 : 0.25;
  oColour = vec4(colour * alpha, alpha);
}

/** Share of a pixel that a line of the given thickness at multiples of size covers; CSS pixels. */
float stripe(float at, float size, float thickness) {
  float m = mod(at, size);
  return clamp(thickness * 0.5 + 0.5 - min(m, size - m) * 0.7071, 0.0, 1.0);
}

float patternAt(float kind, vec2 p) {
  vec2 cell = floor(p);
  if (kind == ${pattern('dots')}) {
    vec2 m = mod(cell, ${period('dots')});
    return m == vec2(1.0) || m == vec2(1.0 + ${period('dots')} * 0.5) ? 1.0 : 0.0;
  }
  if (kind == ${pattern('lines')}) return mod(cell.y, ${period('lines')}) == 1.0 ? 1.0 : 0.0;
  if (kind == ${pattern('columns')}) return mod(cell.x, ${period('columns')}) == 1.0 ? 1.0 : 0.0;
  if (kind == ${pattern('checks')}) {
    vec2 m = mod(cell, ${period('checks')});
    return (m.y == 1.0 && m.x < 2.0) || (m.y == 5.0 && m.x >= 4.0 && m.x < 6.0) ? 1.0 : 0.0;
  }
  if (kind == ${pattern('back-diagonals')}) return stripe(p.x - p.y, ${period('back-diagonals')}, 1.0);
  if (kind == ${pattern('dense-diagonals')}) return stripe(p.x + p.y, ${period('dense-diagonals')}, 1.0);
  return 0.0;
}

void hatch(vec2 p) {
  show(${codes.DRAW_UNKNOWN}, mix(uSunken, uSolid[${codes.DRAW_UNKNOWN}], stripe(p.x + p.y, 6.0, 1.2)));
}

void wait(int code, vec2 p, bool patterned) {
  if (vAt.y < ${float(BASE_LINE_PX)} * uRatio) {
    show(code, uSolid[code]);
    return;
  }
  float ink = patterned ? patternAt(PATTERN[code], p) : 0.0;
  show(code, mix(uTint[code], uPattern[code], ink));
}

/** Filled from its base to a share of its height. */
void span(int code, float share) {
  float inset = ${float(SPAN_INSET_PX)} * uRatio;
  float y = vAt.y - inset;
  if (y < 0.0 || y >= max(uRatio, share * (vBox.z - 2.0 * inset))) discard;
  show(code, uSolid[code]);
}

void exact(int code, vec2 p) {
  float kind = FORM[code];
  if (kind == ${form('wait')}) wait(code, p, vBox.y >= ${float(PATTERN_MIN_PX)} * uRatio);
  else if (kind == ${form('hatch')}) hatch(p);
  else if (kind == ${form('full')}) show(code, uSolid[code]);
  else if (kind == ${form('span')}) span(code, 1.0);
  else if (kind == ${form('ready')} && vAt.y < vBox.z * ${float(READY_PART)}) show(code, uSolid[code]);
  else if (kind == ${form('line')} && vAt.y < uRatio) show(code, uLine);
  else discard;
}

/** Shares from the base: user, kernel, interrupted, guest, mode not known, runnable, unknown; behind them the longest wait. */
void mixedShares(vec2 p) {
  float height = vBox.z;
  float own = vOnCpu.x + vOnCpu.y + vOnCpu.z;
  float onCpu = own + vOther.z + vOther.w;
  // However short, work is seen.
  float stretch = onCpu > 0.0 ? max(1.0, 2.0 * uRatio / (onCpu * height)) : 1.0;
  vec3 edges = vec3(vOnCpu.x, vOnCpu.x + vOnCpu.y, own) * stretch * height;
  vec2 others = vec2(own + vOther.z, onCpu) * stretch * height;
  float ready = others.y + (vOnCpu.w > 0.0 ? max(uRatio, vOnCpu.w * height) : 0.0);
  int cause = int(vCode.y);
  float y = vAt.y;
  if (y < edges.x) show(1, uSolid[1]);
  else if (y < edges.y) show(2, uSolid[2]);
  else if (y < edges.z) show(3, uSolid[3]);
  else if (y < others.x) show(${codes.DRAW_GUEST}, uSolid[${codes.DRAW_GUEST}]);
  else if (y < others.y) show(${codes.DRAW_RUNNING}, uSolid[${codes.DRAW_RUNNING}]);
  else if (y < ready) show(4, uSolid[4]);
  else if (y < ready + vOther.y * height) hatch(p);
  else if (cause == ${codes.DRAW_IDLE} && y < uRatio) show(cause, uLine);
  else if (FORM[cause] == ${form('span')}) {
    span(cause, vOther.x);
  }
  else if (FORM[cause] == ${form('wait')} && vOther.x > 0.1 && onCpu + vOnCpu.w + vOther.x + vOther.y > 0.6) {
    wait(cause, p, false);
  } else discard;
}

/** Up to the line what is used, above it what is unknown; no line at 0 below what is unknown. */
void load(vec2 p) {
  vec4 tops = vOnCpu * vBox.z;
  float slope = (tops.y - tops.x) / vBox.y;
  float x = vAt.x - vBox.x;
  float top = max(uRatio * 0.5, tops.x + slope * x);
  float reach = 0.5 * uRatio + 0.5 * abs(slope);
  float most = mix(tops.z, tops.w, x / vBox.y);
  bool hasLine = tops.x + tops.y > 0.0 || tops.z + tops.w == 0.0;
  if (hasLine && abs(vAt.y - top) <= reach) oColour = vec4(uLoadLine, 1.0);
  else if (hasLine && vAt.y < top) oColour = vec4(uLoad, 1.0);
  else if (vAt.y < most) hatch(p);
  else discard;
}

/** A line from the least to the greatest number, and the area below it. */
void plot() {
  float top = max(uRatio, vOnCpu.y * vBox.z);
  if (vAt.y >= top) discard;
  oColour = vec4(vAt.y < min(vOnCpu.x * vBox.z, top - uRatio) ? uLoad : uLoadLine, 1.0);
}

void main() {
  vec2 p = vec2(vAt.x + uPhase, vBox.z - vAt.y) / uRatio;
  int form = int(vCode.x);
  if (form == ${FORM_MIXED}) mixedShares(p);
  else if (form == ${FORM_LOAD}) load(p);
  else if (form == ${FORM_PLOT}) plot();
  else if (form == ${FORM_DENSITY}) {
    if (vAt.y >= max(uRatio, vOnCpu.x * vBox.z)) discard;
    oColour = vec4(uDensity, 1.0);
  } else exact(form, p);
}
`;
