/** How reading scales, as tables beside the results of the paper whose method is used (its Table 2, Figures 6 and 7). */
import { tableOf } from './table.mjs';

const ANALYSES = { count: 'count', cpu: 'cpu', io: 'io', states: 'kernel state' };
const WORKERS = [1, 2, 4, 8, 16, 32, 64];
const STORAGE = {
  memory: 'memory',
  pcie: 'PCIe, 1,145 MB/s',
  ssd: 'SSD, 250 MB/s',
  hdd: 'disk, 135 MB/s',
};
const SPEEDS = [1, 2, 4, 8, 16];
/** Efficiency in Table 2 of the paper, on its PCIe SSD, with 2 to 64 threads. */
const PAPER = {
  count: [0.888, 0.928, 0.81, 0.679, 0.46, 0.216],
  cpu: [0.947, 0.905, 0.845, 0.677, 0.441, 0.202],
  io: [0.977, 0.918, 0.877, 0.758, 0.567, 0.265],
};

/** What the paper's text says of its Figures 6 and 7: efficiency with so many threads and so fast a decoder. */
const FIGURES = [
  { storage: 'hdd', speed: 1, workers: 8, paper: '0.60' },
  { storage: 'ssd', speed: 1, workers: 16, paper: 'above 0.70' },
  { storage: 'pcie', speed: 1, workers: 64, paper: 'above 0.63' },
  { storage: 'pcie', speed: 4, workers: 32, paper: 'above 0.50' },
  { storage: 'pcie', speed: 8, workers: 32, paper: '"decent"' },
];

/** Markdown; undefined: nothing of scaling was measured. */
export function scalingTables(figures) {
  const names = Object.keys(ANALYSES).filter((name) => `scaling.${name}.1.wallMs` in figures);
  if (names.length === 0) return undefined;
  return [
    'Measured, and what the model says of it from the costs of each step by itself:',
    measuredTable(figures, names),
    'The model, all in memory and a core for each worker: efficiency, and the share of time in which the session (which merges and reduces) is busy:',
    modelTable(figures, names),
    'The same with the cost of an event that the paper measured, from its PCIe SSD, beside the paper:',
    paperTable(figures, names),
    'Its Figures 6 and 7 simulate counting with slower storage and faster decoders; beside what its text says of them:',
    figureTable(figures),
    'Efficiency of counting by storage and speed of the decoder (1: ours now), 32 workers. Where storage is the limit, one worker keeps up with it:',
    storageTable(figures),
  ].join('\n\n');
}

function measuredTable(figures, names) {
  const lines = [];
  for (const name of names) {
    for (let workers = 1; `scaling.${name}.${workers}.wallMs` in figures; workers++) {
      const figure = (key) => figures[`scaling.${name}.${workers}.${key}`];
      const model = (key) => figures[`scaling.${name}.model.${workers}.${key}`];
      lines.push([
        workers === 1 ? ANALYSES[name] : '',
        String(workers),
        figure('wallMs').toFixed(0),
        figure('busyMs').toFixed(0),
        figure('sessionMs').toFixed(0),
        figure('backgroundMs').toFixed(0),
        ratio(figures[`scaling.${name}.1.wallMs`] / figure('wallMs')),
        ratio(figure('wallEfficiency')),
        ratio(figure('busyEfficiency')),
        model('predictedMs').toFixed(0),
        `${(model('error') * 100).toFixed(1)} %`,
      ]);
    }
  }
  const heading = [
    'Analysis',
    'Workers',
    'Time, ms',
    'CPU of workers, ms',
    'of session, ms',
    'of V8, ms',
    'Speed-up',
    'Efficiency',
    'by busy time',
    'Model, ms',
    'Error',
  ];
  return tableOf([heading, ...lines]);
}

function modelTable(figures, names) {
  const row = (title, key, digits) => [
    title,
    ...WORKERS.slice(1).map((workers) => figures[`${key}.${workers}`].toFixed(digits)),
  ];
  return tableOf([
    ['Workers', ...WORKERS.slice(1).map(String)],
    ...names.flatMap((name) => [
      row(ANALYSES[name], `scaling.${name}.model.speed1.memory`, 2),
      row('session busy', `scaling.${name}.model.session`, 2),
    ]),
  ]);
}

function paperTable(figures, names) {
  const lines = names
    .filter((name) => name in PAPER)
    .flatMap((name) => [
      [
        `${name}, model`,
        ...WORKERS.slice(1).map((workers) => ratio(figures[`scaling.${name}.model.paper1.pcie.${workers}`])),
      ],
      [`${name}, paper`, ...PAPER[name].map(ratio)],
    ]);
  return tableOf([['Threads', ...WORKERS.slice(1).map(String)], ...lines]);
}

function figureTable(figures) {
  const lines = FIGURES.map(({ storage, speed, workers, paper }) => [
    STORAGE[storage],
    `${speed} x`,
    String(workers),
    ratio(figures[`scaling.count.model.paper${speed}.${storage}.${workers}`]),
    paper,
  ]);
  return tableOf([['Storage', 'Decoder', 'Threads', 'Model', 'Paper'], ...lines]);
}

function storageTable(figures) {
  const lines = Object.entries(STORAGE).map(([key, title]) => [
    title,
    ...SPEEDS.map((speed) => ratio(figures[`scaling.count.model.speed${speed}.${key}.32`])),
  ]);
  return tableOf([['Storage', ...SPEEDS.map((speed) => `${speed} x`)], ...lines]);
}

function ratio(value) {
  return value.toFixed(3);
}
