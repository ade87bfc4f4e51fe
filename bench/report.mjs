/** What the figures of the benches mean: their names for people, goals, and the table in the documentation. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

const BEGIN = '<!-- figures: written by npm run bench -->';
const END = '<!-- end of figures -->';

/** In order of the table. `least`, `most`: the goal. Figures without a row here are in the JSON only. */
const ROWS = [
  {
    key: 'decode.wasm.counts.ratio',
    text: 'Decoding, events counted: speed against babeltrace2',
    unit: 'x',
    least: 60,
  },
  {
    key: 'decode.wasm.kernel-state.ratio',
    text: 'Decoding, what kernel state needs: speed against babeltrace2',
    unit: 'x',
    least: 50,
  },
  { key: 'decode.wasm.counts.nsPerEvent', text: 'Decoding, events counted', unit: 'ns an event' },
  {
    key: 'decode.wasm.kernel-state.nsPerEvent',
    text: 'Decoding, what kernel state needs',
    unit: 'ns an event',
  },
  {
    key: 'decode.wasm.kernel-state.prepareMs',
    text: 'Compiling the decoder of 1,263 event classes for kernel state, cold',
    unit: 'ms',
  },
  {
    key: 'decode.wasm.kernel-state.firstPassMs',
    text: 'Decoding what kernel state needs for the first time, cold',
    unit: 'ms',
  },
  {
    key: 'decode.ts.counts.ratio',
    text: 'The same by the interpreter: events counted',
    unit: 'x',
    least: 25,
  },
  {
    key: 'decode.ts.kernel-state.ratio',
    text: 'The same by the interpreter: what kernel state needs',
    unit: 'x',
    least: 10,
  },
  {
    key: 'decode.ts.kernel-state.firstPassMs',
    text: 'The same by the interpreter: for the first time, cold',
    unit: 'ms',
  },
  { key: 'stages.mapNsPerEvent', text: 'Mapping kernel state', unit: 'ns an event' },
  { key: 'stages.reduceNsPerEvent', text: 'Merging, reducing and sealing kernel state', unit: 'ns an event' },
  {
    key: 'stages.mapAndReduceMPerSecond',
    text: 'Mapping, merging, reducing and sealing',
    unit: 'M transitions/s',
  },
  {
    key: 'bytes.perInterval',
    text: 'State history of all recorded kernel traces',
    unit: 'bytes an interval',
    most: 6,
  },
  {
    key: 'bytes.largestPerInterval',
    text: 'State history of the largest of them',
    unit: 'bytes an interval',
    most: 6,
  },
  {
    key: 'open.ratio',
    text: 'Opening in the page, all stored: time against babeltrace2',
    unit: 'x',
    most: 0.4,
  },
  { key: 'open.nsPerEvent', text: 'Opening in the page, all stored', unit: 'ns an event' },
  {
    key: 'open.pictureMs',
    text: 'First picture',
    unit: 'ms',
    goal: 'at most 300 ms or 20 % of the whole',
    met: firstPictureMet,
  },
  { key: 'open.reopenMs', text: 'First picture of a kept trace', unit: 'ms', most: 300 },
  {
    key: 'frames.1M.medianMs',
    text: 'Frame over 1 M intervals in 10,000 rows, script',
    unit: 'ms (median)',
    most: 4,
  },
  { key: 'frames.1M.p95Ms', text: 'The same', unit: 'ms (95 %)', most: 8 },
  { key: 'frames.1M.panUploadBytes', text: 'Geometry uploaded by panning', unit: 'bytes', most: 0 },
  {
    key: 'frames.30M.medianMs',
    text: 'Frame over 30 M intervals in 10,000 rows, script',
    unit: 'ms (median)',
    most: 4,
  },
  { key: 'frames.30M.p95Ms', text: 'The same', unit: 'ms (95 %)', most: 8 },
  { key: 'frames.30M.panUploadBytes', text: 'Geometry uploaded by panning', unit: 'bytes', most: 0 },
  {
    key: 'frames.1M.heapBytes',
    text: 'JavaScript heap after the frames, 1 M intervals',
    unit: 'MiB',
    scale: 2 ** -20,
  },
  { key: 'frames.30M.heapBytes', text: 'The same, 30 M intervals', unit: 'MiB', scale: 2 ** -20 },
  {
    key: 'history.1M.totalsMsMedian',
    text: 'Totals of a range, 1 M intervals in 10,000 rows',
    unit: 'ms (median)',
    most: 16,
  },
  { key: 'history.1M.totalsMsP95', text: 'The same', unit: 'ms (95 %)', most: 16 },
  {
    key: 'history.30M.totalsMsMedian',
    text: 'Totals of a range, 30 M intervals in 10,000 rows',
    unit: 'ms (median)',
  },
  {
    key: 'statistics.cpuMsMedian',
    text: 'CPU statistics of a dragged range, recorded trace',
    unit: 'ms (median)',
    most: 16,
  },
  { key: 'statistics.cpuMsP95', text: 'The same', unit: 'ms (95 %)', most: 16 },
  {
    key: 'path.main-task.100kMs',
    text: 'Path of 100,000 segments, main task',
    unit: 'ms (median)',
    most: 100,
  },
  { key: 'path.exact.100kMs', text: 'The same, exact', unit: 'ms (median)', most: 100 },
  {
    key: 'path.main-task.1e3.nsPerEdge',
    text: 'Path over a graph of 1,000 edges, main task',
    unit: 'ns an edge',
  },
  { key: 'path.main-task.1e4.nsPerEdge', text: 'The same, 10,000 edges', unit: 'ns an edge' },
  { key: 'path.main-task.1e5.nsPerEdge', text: 'The same, 100,000 edges', unit: 'ns an edge' },
  { key: 'path.main-task.1e6.nsPerEdge', text: 'The same, 1,000,000 edges', unit: 'ns an edge' },
  {
    key: 'pathAnswer.longest.pathMs',
    text: 'The page’s answer of a path: the longest life in 7.7 M events',
    unit: 'ms (median)',
    most: 300,
  },
  { key: 'pathAnswer.longest.firstMs', text: 'The same, asked for the first time', unit: 'ms' },
  { key: 'pathAnswer.longest.partsMs', text: 'What its time consists of, after it', unit: 'ms (median)' },
  {
    key: 'pathAnswer.program.pathMs',
    text: 'The same of a program: the path',
    unit: 'ms (median)',
    most: 300,
  },
  { key: 'pathAnswer.program.partsMs', text: 'What its time consists of', unit: 'ms (median)' },
  {
    key: 'clock.nsPerEvent',
    text: 'Clock transform of an event, over none',
    unit: 'ns (median)',
    most: 2,
  },
  { key: 'clock.nsPerEventBest', text: 'The same, rounds least disturbed', unit: 'ns' },
  { key: 'memory.x1.MiB', text: 'Peak memory over the empty page, 1.3 M events', unit: 'MiB' },
  { key: 'memory.x3.MiB', text: 'Peak memory over the empty page, 3.9 M events', unit: 'MiB' },
  { key: 'memory.x6.MiB', text: 'Peak memory over the empty page, 7.7 M events', unit: 'MiB' },
  {
    key: 'memory.MiBPerMEvents',
    text: 'Each million events more, from the shortest to the longest',
    unit: 'MiB',
  },
];

function firstPictureMet(figures) {
  return figures['open.pictureMs'] <= 300 || figures['open.pictureShare'] <= 0.2;
}

/** Where the figures are from; `load`: runnable tasks now, beside which times are to be judged. */
export function machineFacts() {
  const { stdout } = spawnSync('babeltrace2', ['--version'], { encoding: 'utf8' });
  return {
    processor: cpus()[0]?.model.trim() ?? '',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    babeltrace: /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0] ?? '',
    load: loadavg()[1],
  };
}

export function printFigures(figures) {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(36)} ${Number(value.toPrecision(4))}`);
}

/** Replaces what stands between the two marks of the document. */
export function writeTable(path, facts, figures) {
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${path} has no place for the figures`);
  writeFileSync(
    path,
    `${text.slice(0, from + BEGIN.length)}\n\n${table(facts, figures)}\n\n${text.slice(to)}`,
  );
}

function table(facts, figures) {
  const lines = ROWS.filter(({ key }) => key in figures).map((row) => {
    const value = figures[row.key];
    return [
      row.text,
      `${shown(value * (row.scale ?? 1))} ${row.unit}`,
      goalOf(row),
      metOf(row, value, figures),
    ];
  });
  const cells = [['Figure', 'Measured', 'Goal', 'Met'], ...lines];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length), 3));
  const format = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [describe(facts), '', format(cells[0]), rule, ...cells.slice(1).map(format)].join('\n');
}

function describe({ processor, cores, memoryGiB, node, babeltrace, browser, load }) {
  const machine = `${processor}, ${cores} cores, ${memoryGiB} GiB`;
  const note =
    load > 1.5
      ? ` Other programs kept the machine busy (load ${load.toFixed(0)}): times are longer than they need to be, and only ratios tell something.`
      : '';
  return `${machine}; Node ${node}, ${browser ?? 'no browser'}, babeltrace2 ${babeltrace}.${note}`;
}

function goalOf({ least, most, goal }) {
  if (goal !== undefined) return goal;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? '' : `at most ${most}`;
}

function metOf({ least, most, met }, value, figures) {
  if (met !== undefined) return met(figures) ? 'yes' : 'no';
  if (least === undefined && most === undefined) return '';
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity) ? 'yes' : 'no';
}

function shown(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
