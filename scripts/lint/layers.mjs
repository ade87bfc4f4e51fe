/**
 * ESLint rule: a file of a folder imports only from the folders that `LAYERS` allows it (ARCHITECTURE.md, "Layers").
 * A folder without an entry may import nothing, so that a new one has to be entered here.
 */
import { dirname, join, relative, sep } from 'node:path';

/** Rooms of the engine, lowest first: each may import what its entry lists, and itself. */
const ENGINE = {
  base: [],
  io: ['base'],
  ctf: ['base', 'io'],
  trace: ['base', 'io', 'ctf'],
  archive: ['base', 'io', 'trace'],
  history: ['base'],
  store: ['base'],
  analysis: ['base', 'io', 'ctf', 'trace', 'history', 'linux'],
  linux: ['base', 'ctf', 'trace', 'analysis', 'history'],
  sync: ['base', 'linux'],
  graph: ['base', 'linux', 'history'],
  symbols: ['base', 'io'],
  density: ['base', 'ctf', 'trace', 'analysis', 'linux'],
  export: ['base', 'io', 'ctf', 'trace'],
  events: ['base', 'io', 'ctf', 'trace', 'analysis', 'linux', 'density', 'export'],
};
const CONTRACT = ['base', 'ctf', 'trace', 'analysis', 'history', 'linux'];
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
const BELOW_ANSWERS = Object.keys(ENGINE);
const ANALYSES = ['base', 'trace', 'analysis', 'history', 'linux', 'density', 'events', ...LAYER_ROOMS];
Object.assign(ENGINE, {
  maps: ANALYSES,
  registry: ANALYSES,
  protocol: [...BELOW_ANSWERS, 'maps', 'registry', 'answers', 'open'],
  words: ['linux', 'protocol'],
  answers: [...BELOW_ANSWERS, 'maps', 'registry', 'protocol', 'words', 'open'],
  open: [...BELOW_ANSWERS, 'maps', 'registry', 'protocol', 'words', 'answers'],
});
/** Pure functions of the engine that the page calls itself; everything else it asks the session's worker. */
const PURE = [
  ...['graph/folded-stacks', 'graph/path-codes', 'io/file-lists', 'io/web-address', 'linux/events/values'],
  ...[
    'base/glob',
    'export/tables/object-table',
    'export/tables/table-file',
    'trace/event-kinds',
    'trace/fingerprint-of-key',
  ],
  ...['events/filter/filter', 'events/filter/parse', 'events/filter/tokens'],
  ...['layers/contract/span-values', 'layers/locks/providers', 'layers/overlays/definition'],
  ...['layers/plots/definition', 'layers/plots/plot-values', 'layers/stacks/profile', 'sync/clock-transform'],
  ...['layers/executions/database/database', 'layers/executions/frames'],
  ...['layers/executions/ranking/compared', 'layers/executions/ranking/groups'],
  ...['layers/executions/ranking/lock-ranking', 'layers/executions/ranking/ranking'],
  ...['answers/paths/lock-events', 'answers/paths/packed-parts', 'answers/rows/row-columns'],
  ...['answers/statistics/columns', 'answers/statistics/cpu-usage', 'answers/statistics/tables'],
  ...['answers/rows/tiles', 'answers/summary/order', 'words/machine-text', 'words/thread-words'],
].map((file) => `engine/${file}`);

const WHOLE_ENGINE = Object.keys(ENGINE).map((folder) => `engine/${folder}`);

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
  locks: [...STAGE, 'path'],
  profile: [...STAGE, 'path'],
  compare: [...STAGE, 'path', 'overlays'],
  summary: [...STAGE, 'start', 'path', 'locks', 'compare'],
  statistics: STAGE,
  events: STAGE,
  selection: [...STAGE, 'plots', 'path', 'locks', 'statistics', 'events'],
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
    Object.entries(ENGINE).map(([folder, below]) => [
      `engine/${folder}`,
      { values: below.map((name) => `engine/${name}`), types: [] },
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
function forbidden(from, to, typeOnly) {
  const [own, other] = [layerOf(from), layerOf(to)];
  if (own === undefined || other === undefined || own === other) return undefined;
  const allowed = LAYERS[own];
  if (allowed === undefined) return `${own} has no entry in scripts/lint/layers.mjs.`;
  const file = withinSource(to).join('/');
  const isAllowed = (list) => list.includes(other) || list.includes(file);
  if (isAllowed(allowed.values) || (typeOnly && isAllowed(allowed.types))) return undefined;
  return `${own} may not import ${file} (ARCHITECTURE.md, Layers).`;
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
