/** The table of figures: their names for people and their goals. */

import { COMMAND_FIGURES, COMMANDS } from './commands.mjs';

/** In order of the table. `least`, `most`: the goal. Figures without a row here are in the JSON only. */
export const ROWS = [
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
  {
    key: 'decode.wasm.all.ratio',
    text: 'Decoding, all fields: speed against babeltrace2',
    unit: 'x',
    least: 25,
  },
  {
    key: 'decode.threads.wasm.counts.ratio',
    text: 'Trace of eight CPUs and many threads, 10 M events, events counted',
    unit: 'x',
    least: 60,
  },
  {
    key: 'decode.threads.wasm.kernel-state.ratio',
    text: 'The same, what kernel state needs',
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
    key: 'compile.ms',
    text: 'Compiling the decoder of 500 event classes for all analyses, cold',
    unit: 'ms',
    most: 50,
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
    text: 'Decoding by the interpreter, what kernel state needs',
    unit: 'x',
    least: 10,
  },
  { key: 'decode.ts.all.ratio', text: 'The same by the interpreter: all fields', unit: 'x', least: 3.5 },
  {
    key: 'decode.ts.kernel-state.firstPassMs',
    text: 'The same by the interpreter: for the first time, cold',
    unit: 'ms',
  },
  ...mapRows('kernel-state', 'Mapping kernel state'),
  ...mapRows('aggregates', 'Mapping counts, CPU use, I/O, interrupts and failed calls'),
  {
    key: 'stages.reduceMPerSecond',
    text: 'Merging and reducing kernel state',
    unit: 'M transitions/s',
    least: 60,
  },
  { key: 'stages.reduceNsPerEvent', text: 'The same for each event', unit: 'ns', most: 15 },
  {
    key: 'windows.100000.openPercent',
    text: 'Transitions that meet a thread, CPU or call first in windows of 100,000 events',
    unit: '%',
  },
  { key: 'windows.100000.reduceNs', text: 'Reducing such windows each by itself', unit: 'ns an event' },
  { key: 'windows.100000.joinNs', text: 'Joining them, the least', unit: 'ns an event' },
  {
    key: 'windows.100000.timesAsFast.8',
    text: 'Windows against one thread that reduces, eight cores, by a model',
    unit: 'x',
  },
  { key: 'stages.reduceJsMPerSecond', text: 'The same without WebAssembly', unit: 'M transitions/s' },
  {
    key: 'stages.secondHistoryPercent',
    text: 'Added to merging and reducing by a second history of 19,000 transitions',
    unit: '%',
    most: 5,
  },
  { key: 'seal.wasmNsPerTile', text: 'Sealing segments', unit: 'ns an interval', most: 15 },
  {
    key: 'seal.bytesPerTile',
    text: 'Directory, summaries, levels of detail and blocks',
    unit: 'bytes an interval',
    most: 4.5,
  },
  {
    key: 'graph.openingPercent',
    text: 'What only the graph needs, added to all analyses in memory',
    unit: '%',
    most: 25,
  },
  {
    key: 'scaling.count.2.busyEfficiency',
    text: 'Counting with 2 workers, efficiency by busy time',
    unit: '',
    least: 0.9,
  },
  { key: 'scaling.cpu.2.busyEfficiency', text: 'CPU use, the same', unit: '' },
  { key: 'scaling.io.2.busyEfficiency', text: 'I/O, the same', unit: '', least: 0.95 },
  { key: 'scaling.io.answerMs', text: 'Answer for I/O of the whole trace, 20 M events', unit: 'ms' },
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
    key: 'reading.mapToRead',
    text: 'From files in the page, one worker, to mapped kernel state: time against only reading',
    unit: 'x',
    most: 1.2,
  },
  {
    key: 'reading.firstPassRatio',
    text: 'First pass of a fresh page, one worker, metadata to last row: speed against babeltrace2',
    unit: 'x',
    least: 4,
  },
  { key: 'reading.unpreparedRatio', text: 'The same at once, the page not prepared', unit: 'x' },
  {
    key: 'open.ratio',
    text: 'Opening in the page, all stored: time against babeltrace2',
    unit: 'x',
    most: 0.38,
  },
  { key: 'open.atOnce.ratio', text: 'The same at once, the page not prepared', unit: 'x', most: 0.42 },
  { key: 'open.nsPerEvent', text: 'Opening in the page, all stored', unit: 'ns an event' },
  {
    key: 'open.pictureMs',
    text: 'First picture',
    unit: 'ms',
    goal: 'at most 300 ms or 20 % of the whole',
    met: firstPictureMet,
  },
  { key: 'open.reopenMs', text: 'First picture of a kept trace', unit: 'ms', most: 200 },
  ...['names', 'fields', 'text'].map((name) => ({
    key: `filters.${name}.ratio`,
    text: `7.7 M events in memory, one thread: filter by ${name}, speed against babeltrace2`,
    unit: 'x',
    least: name === 'text' ? 10 : 20,
  })),
  ...eventRows('7.7M', '7.7 million events'),
  ...eventRows('45M', '45 million events'),
  {
    key: 'frames.1M.medianMs',
    text: 'Frame over 1 M intervals in 10,000 rows, script',
    unit: 'ms (median)',
    most: 4,
  },
  {
    key: 'frames.1M.p95Ms',
    text: 'Frame over 1 M intervals in 10,000 rows, script',
    unit: 'ms (95 %)',
    most: 8,
  },
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
    key: 'symbols.ms',
    text: 'Functions and lines of 20,000 frames, ELF file of 100 MB',
    unit: 'ms',
    most: 2000,
  },
  {
    key: 'symbols.memoryRatio',
    text: 'The same: most memory, in sizes of its tables of symbols and names',
    unit: 'x',
    most: 3,
  },
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
    key: 'statistics.ioMsMedian',
    text: 'Statistics of input and output of a dragged range, the same trace',
    unit: 'ms (median)',
    most: 16,
  },
  { key: 'statistics.ioMsP95', text: 'The same', unit: 'ms (95 %)', most: 16 },
  { key: 'statistics.ioFirstMs', text: 'The same, of the whole trace for the first time', unit: 'ms' },
  {
    key: 'path.main-task.100kMs',
    text: 'Path of 100,000 segments, main task',
    unit: 'ms (median)',
    most: 100,
  },
  { key: 'path.exact.100kMs', text: 'Path of 100,000 segments, exact', unit: 'ms (median)', most: 100 },
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
  { key: 'memory.1.3M.MiB', text: 'Peak memory over the empty page, 1.3 M events', unit: 'MiB' },
  { key: 'memory.3.9M.MiB', text: 'Peak memory over the empty page, 3.9 M events', unit: 'MiB' },
  { key: 'memory.7.7M.MiB', text: 'Peak memory over the empty page, 7.7 M events', unit: 'MiB' },
  {
    key: 'memory.MiBPerMEvents',
    text: 'Peak memory of each million events more',
    unit: 'MiB',
  },
  ...COMMANDS.flatMap(commandRows),
  ...['10M', '45M', '200M'].flatMap(longRows),
  ...questionRows('45M', '45 M events'),
];

/** Of a command of the command line. */
function commandRows({ key, text, most = {} }) {
  return Object.entries(COMMAND_FIGURES).map(([figure, { text: what, unit }]) => ({
    key: `commands.${key}.${figure}`,
    text: `\`${text}\`: ${what}`,
    unit,
    ...(figure in most && { most: most[figure] }),
  }));
}

/** Of the table of events. Half the speed of decoding all fields is some 20 times that of babeltrace2. */
function eventRows(label, events) {
  const key = `events.${label}`;
  const filter = 'Filter of events by';
  return [
    {
      key: `${key}.names.ratio`,
      text: `${events}: ${filter} name, speed against babeltrace2`,
      unit: 'x',
      least: 20,
    },
    { key: `${key}.fields.ratio`, text: `${filter} name and fields, the same`, unit: 'x', least: 20 },
    { key: `${key}.text.ratio`, text: `${filter} text in any field, the same`, unit: 'x', least: 10 },
    { key: `${key}.names.firstMs`, text: `${filter} name, first matches`, unit: 'ms', most: 300 },
    { key: `${key}.fields.firstMs`, text: `${filter} name and fields, first matches`, unit: 'ms', most: 300 },
    { key: `${key}.jumpMs`, text: 'Jump to the first or last event in the table', unit: 'ms', most: 200 },
    {
      key: `${key}.longestTaskMs`,
      text: 'Longest task of the page’s thread while filtering',
      unit: 'ms',
      most: 100,
    },
  ];
}

/** Of a long trace in the page, question by question. */
function questionRows(label, events) {
  return ['open', 'summary', 'statistics', 'locks', 'path'].flatMap((name) => [
    { key: `questions.${label}.${name}.ms`, text: `${events}, page: ${name}`, unit: 'ms' },
    {
      key: `questions.${label}.${name}.longestTaskMs`,
      text: 'Longest task of the page’s thread meanwhile',
      unit: 'ms',
      most: 100,
    },
    ...(name === 'open'
      ? []
      : [
          {
            key: `questions.${label}.${name}.MiB`,
            text: 'Peak memory by then, over the empty page',
            unit: 'MiB',
          },
        ]),
  ]);
}

/** Of what is mapped, with kernels and without. */
function mapRows(id, text) {
  return [
    { key: `map.${id}.wasmNsPerEvent`, text, unit: 'ns an event' },
    { key: `map.${id}.jsNsPerEvent`, text: 'The same without WebAssembly', unit: 'ns an event' },
    {
      key: `map.${id}.wasmFirstPassNsPerEvent`,
      text: `${text} in a fresh process, processor time of all threads`,
      unit: 'ns an event',
    },
    {
      key: `map.${id}.jsFirstPassNsPerEvent`,
      text: 'The same without WebAssembly',
      unit: 'ns an event',
    },
  ];
}

/** Of a long trace, `label` events. */
function longRows(label) {
  const [text, hasTarget] = [`${label.slice(0, -1)} M events`, label === '45M'];
  return [
    {
      key: `long.${label}.sealed.ratio`,
      text: `${text}, bytes in memory to sealed segments, 2 workers: time against babeltrace2`,
      unit: 'x',
      ...(hasTarget && { most: 0.11 }),
    },
    {
      key: `long.${label}.ratio`,
      text: `${text}, files to all stored in the page: time against babeltrace2`,
      unit: 'x',
      ...(hasTarget && { most: 0.35 }),
    },
    { key: `long.${label}.pictureMs`, text: `${text}, first picture`, unit: 'ms', most: 500 },
    {
      key: `long.${label}.MiB`,
      text: `${text}, peak memory over the empty page`,
      unit: 'MiB',
      ...(hasTarget && { most: 572 }),
    },
  ];
}

function firstPictureMet(figures) {
  return figures['open.pictureMs'] <= 300 || figures['open.pictureShare'] <= 0.2;
}

/** Keys of the rows that docs/performance.md shows; bench/figures.md shows all. */
export const HEADLINES = new Set([
  'decode.wasm.counts.ratio',
  'decode.wasm.kernel-state.ratio',
  'decode.wasm.all.ratio',
  'stages.reduceMPerSecond',
  'seal.wasmNsPerTile',
  'reading.mapToRead',
  'open.ratio',
  'open.pictureMs',
  'open.reopenMs',
  'events.45M.fields.ratio',
  'events.45M.fields.firstMs',
  'events.45M.jumpMs',
  'events.45M.longestTaskMs',
  'frames.1M.p95Ms',
  'statistics.cpuMsMedian',
  'path.main-task.100kMs',
  'memory.MiBPerMEvents',
  'long.45M.sealed.ratio',
  'long.45M.ratio',
  'long.45M.pictureMs',
  'long.45M.MiB',
]);
