/**
 * ESLint rule: a file of a folder imports only from the folders that `LAYERS` allows it (ARCHITECTURE.md, "Rooms").
 * A folder without an entry may import nothing, so that a new one has to be entered here.
 */
import { dirname, join, relative, sep } from 'node:path';

/**
 * Rooms of the engine, lowest first: each may import what its entry lists, and itself. An entry means all rooms below it;
 * above a room it means the files that lie there: `ctf` in the entry of `ctf/metadata` is `ctf/model.ts`, not `ctf/decode`.
 */
const ENGINE = {
  base: [],
  io: ['base'],
  'ctf/metadata': ['base', 'io', 'ctf'],
  'ctf/decode': ['base', 'io', 'ctf', 'ctf/metadata', 'ctf/packets'],
  'ctf/packets': ['base', 'io', 'ctf', 'ctf/decode'],
  ctf: ['base'],
  trace: ['base', 'io', 'ctf'],
  archive: ['base', 'io', 'trace'],
  importers: ['base', 'io', 'trace', 'archive'],
  history: ['base'],
  store: ['base'],
  analysis: ['base', 'io', 'ctf', 'trace', 'history'],
};
const EVENTS = ['base', 'ctf', 'trace', 'history', 'analysis'];
const LINUX = [...EVENTS, 'analysis/compiled', 'linux/events'];
Object.assign(ENGINE, {
  'linux/events': EVENTS,
  'analysis/compiled': [...EVENTS, 'linux/events'],
  'linux/namespaces': LINUX,
  'linux/states': LINUX,
  'linux/sums': [...LINUX, 'linux/states'],
  'linux/states/read': [...LINUX, 'linux/states', 'linux/sums'],
  sync: ['base', 'linux/states', 'trace'],
  graph: ['base', 'history', 'linux/events', 'linux/states'],
  symbols: ['base', 'io'],
  density: [...EVENTS, 'linux'],
  export: ['base', 'io', 'ctf', 'trace'],
  events: [...EVENTS, 'io', 'linux', 'density', 'export'],
});
const CONTRACT = [...EVENTS, 'analysis/compiled', 'linux'];
const LAYER = [...CONTRACT, 'layers/contract'];
Object.assign(ENGINE, {
  'layers/contract': CONTRACT,
  'layers/overlays': LAYER,
  'layers/interrupts': LAYER,
  'layers/plots': LAYER,
  'layers/queues': [...LAYER, 'layers/plots'],
  'layers/stacks': [...LAYER, 'symbols'],
  'layers/heap': [...LAYER, 'layers/plots', 'layers/stacks', 'symbols'],
  'layers/locks': [...LAYER, 'graph', 'layers/stacks', 'symbols'],
  'layers/executions': [...LAYER, 'graph', 'layers/stacks', 'symbols'],
});
const LAYER_ROOMS = Object.keys(ENGINE).filter((room) => room.startsWith('layers/'));
const ANALYSES = [...EVENTS, 'linux', 'density', 'events', ...LAYER_ROOMS];
Object.assign(ENGINE, { maps: ANALYSES, registry: [...ANALYSES, 'maps'] });
const BELOW_ANSWERS = Object.keys(ENGINE);
const ANSWER = [...BELOW_ANSWERS, 'protocol', 'words', 'answers/context'];
const answers = (...subjects) => [...ANSWER, ...subjects.map((subject) => `answers/${subject}`)];
Object.assign(ENGINE, {
  words: ['base', 'trace', 'linux', 'protocol'],
  'answers/context': ANSWER,
  'answers/rows': ANSWER,
  'answers/sync': ANSWER,
  'answers/statistics': answers('rows'),
  'answers/threads': answers('statistics'),
  'answers/paths': answers('sync', 'rows'),
  'answers/what-if': answers('paths', 'locks', 'stacks'),
  'answers/locks': answers('paths', 'rows'),
  'answers/stacks': answers('paths', 'rows', 'locks', 'statistics'),
  'answers/events': answers('rows', 'statistics'),
  'answers/executions': answers('rows', 'paths', 'locks', 'stacks'),
  'answers/export': answers('statistics', 'stacks', 'events', 'locks', 'report'),
  'answers/summary': answers('rows', 'sync', 'statistics', 'paths', 'locks', 'executions'),
  'answers/report': answers('paths', 'locks', 'executions', 'stacks', 'summary', 'what-if'),
  answers: [
    ...ANSWER,
    ...['rows', 'sync', 'statistics', 'threads', 'paths', 'locks', 'stacks', 'events', 'executions'].map(
      (subject) => `answers/${subject}`,
    ),
    ...['answers/what-if', 'answers/export', 'answers/summary', 'answers/report'],
  ],
  open: [...BELOW_ANSWERS, 'protocol', 'words', 'answers'],
});
/** Rooms that see others as types alone; requests of statistics follow from their tables. */
const TYPES = {
  protocol: [...BELOW_ANSWERS, 'answers/statistics'],
  'answers/context': Object.keys(ENGINE).filter((room) => room.startsWith('answers/')),
};
/** Pure functions of the engine that the page calls itself; everything else it asks the session's worker. */
const PURE = [
  ...['graph/folded-stacks', 'graph/path-codes', 'io/file-lists', 'io/web-address', 'linux/events/values'],
  ...[
    'base/glob',
    'export/tables/table',
    'export/tables/table-file',
    'trace/event-kinds',
    'trace/fingerprint-of-key',
  ],
  ...['events/filter/filter', 'events/filter/parse'],
  ...['layers/contract/span-values', 'layers/locks/providers', 'layers/overlays/definition'],
  ...['layers/plots/definition', 'layers/plots/plot-values', 'layers/stacks/call-frame'],
  ...['layers/stacks/profile', 'sync/clock-transform'],
  ...[
    'layers/executions/database/database',
    'layers/executions/database/header',
    'layers/executions/definition',
    'layers/executions/frames',
  ],
  ...[
    'layers/executions/ranking/cause-words',
    'layers/executions/ranking/compared',
    'layers/executions/ranking/contrast',
    'layers/executions/ranking/groups',
  ],
  ...['layers/executions/ranking/ranking', 'layers/executions/ranking/trend'],
  ...['answers/paths/packed-parts', 'answers/paths/path-owners'],
  ...['answers/rows/row-columns', 'answers/rows/row-writer'],
  'answers/what-if/group-savings',
  ...['answers/statistics/columns', 'answers/statistics/cpu-usage', 'answers/statistics/tables'],
  ...['answers/rows/tiles', 'answers/summary/order', 'words/machine-text'],
  ...[
    'words/meanwhile-words',
    'words/numbers',
    'words/place-link',
    'words/recording-commands',
    'words/scale',
  ],
  ...['words/change-words', 'words/sentence', 'words/thread-words', 'answers/locks/matrix-view'],
].map((file) => `engine/${file}`);

const WHOLE_ENGINE = [...Object.keys(ENGINE), 'protocol'].map((folder) => `engine/${folder}`);

/** Folders of the page, lowest first: each may import what its entry lists, and itself. */
const PAGE = {
  browser: [],
  format: [],
  controls: [],
  draw: [],
  theme: ['browser'],
  errors: ['controls'],
  'widgets/banner': ['controls'],
  'widgets/dialog': ['controls'],
  'widgets/table': ['browser', 'controls', 'format'],
  'widgets/histogram': ['browser', 'format'],
  'widgets/flame': ['browser', 'controls', 'draw', 'format'],
  offline: ['browser', 'widgets/banner'],
  commands: ['controls', 'widgets/dialog'],
  opening: ['controls', 'format'],
  experiment: ['browser', 'errors'],
  files: ['browser', 'experiment'],
  context: [
    ...['browser', 'commands', 'controls', 'experiment', 'files', 'theme'],
    ...['widgets/banner', 'widgets/table'],
  ],
  layers: ['context', 'format', 'opening', 'widgets/dialog'],
  timeline: ['browser', 'controls', 'draw', 'format', 'opening'],
};
/** What all that shows an open experiment stands on. */
const STAGE = Object.keys(PAGE);
Object.assign(PAGE, {
  lessons: STAGE,
  start: [...STAGE, 'lessons'],
  recording: STAGE,
  overlays: STAGE,
  plots: STAGE,
  path: STAGE,
  notes: STAGE,
  sync: STAGE,
  profile: [...STAGE, 'path'],
  locks: [...STAGE, 'path', 'profile'],
  compare: [...STAGE, 'path', 'overlays'],
  summary: [...STAGE, 'start', 'path', 'locks', 'compare'],
  statistics: [...STAGE, 'recording'],
  events: STAGE,
  selection: [...STAGE, 'recording', 'plots', 'path', 'locks', 'statistics', 'events'],
  info: [...STAGE, 'recording'],
  export: [...STAGE, 'path', 'notes', 'profile', 'events'],
  features: [
    ...[...STAGE, 'overlays', 'plots', 'path', 'notes', 'sync', 'locks', 'profile', 'compare'],
    ...['summary', 'selection', 'statistics', 'events', 'info'],
  ],
  address: [...STAGE, 'features'],
  layout: [
    ...[...STAGE, 'lessons', 'start', 'path', 'notes', 'locks', 'compare', 'summary', 'events', 'export'],
    ...['features', 'address'],
  ],
});
const WHOLE_PAGE = Object.keys(PAGE);

/** What each folder may import - folders, or single files - and of what it may import types only. */
export const LAYERS = {
  ...Object.fromEntries(
    Object.keys({ ...ENGINE, ...TYPES }).map((room) => [
      `engine/${room}`,
      { values: inEngine(ENGINE[room] ?? []), types: inEngine(TYPES[room] ?? []) },
    ]),
  ),
  workers: { values: WHOLE_ENGINE, types: [] },
  cli: { values: [...WHOLE_ENGINE, 'workers'], types: [] },
  ...Object.fromEntries(Object.entries(PAGE).map(([folder, below]) => [`app/${folder}`, ofPage(below)])),
  app: ofPage(WHOLE_PAGE),
  wasm: { values: [], types: [] },
};
// The way to the session's worker.
LAYERS['app/experiment'].values.push('workers');

function inEngine(rooms) {
  return rooms.map((room) => `engine/${room}`);
}

/** @param below folders of the page */
function ofPage(below) {
  return {
    values: ['engine/base', ...PURE, ...below.map((name) => `app/${name}`)],
    types: [...WHOLE_ENGINE, 'workers'],
  };
}

/** The room of a file below `src`: the longest entry of `LAYERS` that its folder begins with; undefined outside of `src`. */
function layerOf(path) {
  const parts = withinSource(path);
  if (parts === undefined) return undefined;
  for (let n = parts.length; n > 0; n--) {
    const room = parts.slice(0, n).join('/');
    // Beside its folders the page has files that put it together; a folder of its own needs an entry.
    if (room in LAYERS && (room !== 'app' || parts.length === 2)) return room;
  }
  return parts.slice(0, 2).join('/');
}

/** The parts of a path below `src`, without the last one's ending. */
function withinSource(path) {
  const parts = path.replace(/\.tsx?$/, '').split(sep);
  const at = parts.indexOf('src');
  return at < 0 ? undefined : parts.slice(at + 1);
}

/** Why the file `from` may not import the file `to` (paths with `src`); undefined: it may. */
export function forbidden(from, to, typeOnly) {
  const [own, other] = [layerOf(from), layerOf(to)];
  if (own === undefined || other === undefined || own === other) return undefined;
  const allowed = LAYERS[own];
  if (allowed === undefined) return `${own} has no entry in scripts/lint/layers.mjs.`;
  const file = withinSource(to).join('/');
  const isEntry = (entry) =>
    entry === other || entry === file || (other.startsWith(`${entry}/`) && !own.startsWith(`${entry}/`));
  const isAllowed = (list) => list.some(isEntry);
  if (isAllowed(allowed.values) || (typeOnly && isAllowed(allowed.types))) return undefined;
  return `${own} may not import ${file} (ARCHITECTURE.md, Rooms).`;
}

export const layers = {
  meta: { type: 'problem', schema: [], messages: { forbidden: '{{why}}' } },
  create(context) {
    const file = relative(context.cwd, context.filename);
    const check = (node, source, typeOnly) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const why = forbidden(file, join(dirname(file), source.value), typeOnly);
      if (why !== undefined) context.report({ node, messageId: 'forbidden', data: { why } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source, isTypeOnly(node)),
      ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
    };
  },
};

function isTypeOnly({ importKind, specifiers }) {
  if (importKind === 'type') return true;
  return specifiers.length > 0 && specifiers.every((specifier) => specifier.importKind === 'type');
}
