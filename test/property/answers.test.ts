/** What the page draws and tells of rows depends on events alone. */
import type { StatisticName } from '../../src/engine/answers/statistics/tables.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import type { ExecutionDefinition } from '../../src/engine/layers/executions/definition.ts';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { PathRequest } from '../../src/engine/protocol/paths.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../../src/engine/protocol/queries.ts';
import type { TimeRange } from '../../src/engine/protocol/range.ts';
import { unpackRows } from '../../src/engine/answers/rows/row-columns.ts';
import type { RowInfo } from '../../src/engine/protocol/rows.ts';
import { localSession } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { recordedAs } from '../support/trace-chunks.ts';
import { cut, rangeFrom, share } from './cuts.ts';
import { recordings } from './recordings.ts';
import { forAll } from '../support/for-all.ts';

const question = fc.record({
  row: fc.nat(),
  begin: cut,
  length: share,
  buckets: fc.constantFrom(1, 10, 1_000),
  criterion: fc.constantFrom('main-task', 'exact', 'reconvergence'),
} as const);

type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;
type Asked = Question & { readonly range: TimeRange };

/** The questions with their ranges, which events tell: of a kept trace they cannot be asked. */
function askedOf({ api, lengthNs }: Opened, questions: readonly Question[]): Promise<Asked[]> {
  return Promise.all(
    questions.map(async (each) => ({
      ...each,
      range: await rangeFrom(each.begin, each.length, api, lengthNs),
    })),
  );
}

const cases = fc.record({
  seed: fc.nat(),
  chunkBytes: fc.constantFrom(1, 600, 5_000, 4 << 20),
  recording: recordings,
  questions: fc.array(question, { minLength: 1, maxLength: 6 }),
});

describe('rows of simulated kernels, what is drawn of them and their paths', () => {
  it('are the same with any packets, folders and chunks, and when the trace is opened again', () =>
    forAll(15, [cases], async ({ seed, chunkBytes, recording, questions }) => {
      const { files } = simulate(settingsOf(seed));
      const { opened: plain } = await openedOf(folderRefs(files));
      const asked = await askedOf(plain, questions);
      const expected = await answersOf(plain, asked, OF_EVENTS);
      const other = folderRefs(await recordedAs(files, recording, seed));
      const { session, opened, key } = await openedOf(other, chunkBytes);
      expect(await answersOf(opened, asked, OF_EVENTS)).toEqual(expected);
      await session.api.close();
      const kept = await session.reopen(key);
      if (!kept.ok) throw new Error(`not opened again: ${kept.fault.code}`);
      const again = { api: session.api, rows: unpackRows(kept.rows), lengthNs: kept.info.lengthNs };
      expect(await answersOf(again, asked, OF_EVENTS)).toEqual(expected);
    }));

  it('are the same with any chunks of the same files, and so is what their packets tell', () =>
    forAll(5, [cases], async ({ seed, chunkBytes, questions }) => {
      const files = folderRefs(simulate(settingsOf(seed)).files);
      const [whole, pieces] = [await openedOf(files), await openedOf(files, chunkBytes)];
      for (const { session } of [whole, pieces])
        await until(async () => (await session.api.ask('lockEvents', {})) !== 'not read yet');
      const all = { ...OF_EVENTS, ...OF_FILES };
      const asked = await askedOf(whole.opened, questions);
      const expected = await answersOf(whole.opened, asked, all);
      expect(await answersOf(pieces.opened, asked, all)).toEqual(expected);
    }));
});

async function openedOf(files: ReturnType<typeof folderRefs>, chunkBytes?: number) {
  const session = localSession();
  const { rows, info } = await session.open(files, { chunkBytes });
  return { session, key: info.key, opened: { api: session.api, rows, lengthNs: info.lengthNs } };
}

interface Opened {
  readonly api: SessionApi;
  readonly rows: readonly RowInfo[];
  readonly lengthNs: number;
}

async function answersOf(opened: Opened, questions: readonly Asked[], requests: Partial<Requests>) {
  const { rows, lengthNs } = opened;
  const answers = [];
  for (const asked of questions) answers.push(await answersOn(opened, requests, asked));
  // A host without a name is called as its folder.
  const named = rows.map((row) => (row.kind === 'host' ? { ...row, name: '' } : row));
  return { rows: named, lengthNs, answers };
}

/** A row and a range, and what is asked of them. */
interface Place {
  readonly row: RowInfo;
  readonly range: TimeRange;
  readonly bucketNs: number;
  /** Of the row's host. */
  readonly attributes: readonly number[];
  readonly criterion: PathRequest['criterion'];
  /** Rows of streams. */
  readonly streams: readonly string[];
  /** Of the path that was answered; NaN: there is none. */
  readonly path: number;
}

type Requests = {
  readonly [K in Exclude<QueryKind, StatisticName>]: (place: Place) => readonly RequestOf<K>[];
};

/** Answers that events alone decide. */
const OF_EVENTS = {
  interval: ({ row, range }) =>
    ([0, -1, 1] as const).map((step) => ({ row: row.id, timeNs: range.from, step })),
  call: ({ row, range }) => [{ row: row.id, timeNs: range.from }],
  moved: ({ row, range }) => [{ row: row.id, timeNs: range.from }],
  descriptorPath: ({ row, range }) => [{ row: row.id, fd: 3, ...range }],
  threadSummary: ({ row, range }) => [{ row: row.id, range }, { row: row.id }],
  tile: ({ row, range, bucketNs, attributes }) => [{ host: row.host, attributes, ...range, bucketNs }],
  // No row of the kernel's has ids; the tests of layers have some.
  idTile: ({ row, range, bucketNs }) => [{ host: row.host, attributes: [], ...range, bucketNs }],
  load: ({ row, range, bucketNs }) => [{ host: row.host, attributes: [row.attribute], ...range, bucketNs }],
  path: ({ row, range, criterion }) => [{ row: row.id, range, criterion }],
  pathParts: ({ path }) => [{ path }],
  pathReport: ({ path }) => [{ path, by: 'process', isFolded: true }],
  whatIf: ({ row, range }) => [
    { row: row.id, range, factor: 0.5 },
    { row: row.id, range, factor: 0, target: { kind: 'cpu', name: '' } },
  ],
  occurrences: ({ row, range }) => [
    { of: 'syscalls', range },
    { of: 'sched', range, thread: row.id, minNs: 100 },
    { of: 'io', limit: 20 },
    { of: 'requests', range, minBytes: 1 },
  ],
  offCpu: ({ row, range }) => [
    {
      rows: [row.id],
      thread: Int32Array.of(0, 0),
      from: Float64Array.of(range.from, range.from + 1),
      to: Float64Array.of(range.to, range.to),
      order: 'waker',
    },
  ],
  profile: ({ row, range }) => [
    { row: row.id, range, of: 'thread', inTime: true },
    { row: row.id, range, of: 'path' },
    { row: row.id, range, of: 'process', offCpu: 'sleeper' },
    { row: row.id, range, of: 'all', offCpu: 'file' },
  ],
} satisfies Partial<Requests>;

/** Each system call. */
const CALLS: ExecutionDefinition = {
  begin: 'syscall_entry_*',
  end: 'syscall_exit_*',
  key: [],
  acrossThreads: false,
  where: [],
  minNs: 0,
};

/** Answers that packets, names of files or the files themselves have a part in. */
const OF_FILES = {
  density: ({ streams, range, bucketNs }) => [{ rows: streams, ...range, bucketNs }],
  sync: () => [{}],
  eventSearch: () => [{ filter: 'cpu<2' }],
  eventRows: ({ range }) => [{ filter: '', first: range.from % 100, count: 5 }],
  eventDetails: ({ range }) => [{ trace: 0, stream: 0, file: 0, packet: 0, event: range.from % 3 }],
  eventNames: () => [{}],
  recorded: () => [{ needs: [[['switch'], ['waking', 'wakeup']]] }],
  eventDensity: ({ range, bucketNs }) => [{ filter: 'cpu<2', ...range, bucketNs }],
  eventRowAt: ({ range }) => [{ filter: '', timeNs: range.from }],
  overlays: () => [{}],
  plots: () => [{}],
  plot: ({ row, range, bucketNs }) => [
    { host: row.host, attributes: [0], layer: 'resource', ...range, bucketNs },
  ],
  // Simulated kernels have no locks; conformance tests ask about recorded ones.
  lockEvents: () => [{}],
  locks: () => [{}],
  lockRanks: () => [{}],
  criticalSections: () => [{}],
  lockProviders: () => [{}],
  lockPlaces: () => [{}],
  lock: ({ row }) => [{ lock: `${row.host}:mutex:1:0x1` }],
  executionProposals: () => [{}],
  executions: () => [{ definition: CALLS }],
  lockWaits: ({ range }) => [{ ...range, order: 'longest', limit: 5 }],
  waitStacks: ({ row, range }) => [{ row: row.id, timeNs: range.from }],
  modules: () => [{}],
  // Priorities and idle states are read from the files.
  meanwhile: ({ row, range: { from, to } }) => [
    { stretches: [row.id, 'cpu:0:0', 'thread:9:1'].map((id) => ({ row: id, fromNs: from, ns: to - from })) },
  ],
  summary: () => [{ rule: 0 }],
  recordings: () => [{}],
  sampledThread: () => [{}],
  exported: ({ range }) => [
    { what: 'states', format: 'json', range },
    { what: 'events', format: 'csv', range, events: { filter: 'cpu<2' } },
    { what: 'finding', range, link: '', notes: [] },
    { what: 'report', format: 'json', trace: '', name: '', page: 'https://example.org/' },
  ],
  cutSize: ({ range }) => [{ range }],
  finding: () => [{}],
  locksWithin: ({ row, range }) => [
    {
      rows: [row.id],
      thread: Int32Array.of(0),
      from: Float64Array.of(range.from),
      to: Float64Array.of(range.to),
    },
  ],
} satisfies Partial<Requests>;

// Statistics have tests of their own.
({ ...OF_EVENTS, ...OF_FILES }) satisfies Requests;

/** Files by what is in them. */
async function plain(answer: unknown): Promise<unknown> {
  if (!(answer instanceof Object && 'file' in answer && answer.file instanceof Blob)) return answer;
  return { file: await answer.file.text() };
}

async function answersOn(
  { api, rows }: Opened,
  requests: Partial<Requests>,
  { row: index, range, buckets, criterion }: Asked,
) {
  const drawn = rows.filter(({ attribute }) => attribute >= 0);
  const row = drawn[index % drawn.length];
  const { from, to } = range;
  const place = {
    row,
    range,
    bucketNs: Math.max(1, (to - from) / buckets),
    attributes: drawn.filter(({ host }) => host === row.host).map(({ attribute }) => attribute),
    criterion,
    streams: rows.filter(({ kind }) => kind === 'stream').map(({ id }) => id),
  };
  let path = NaN;
  const answers: Record<string, unknown[]> = {};
  const askAll = async <K extends keyof Requests>(kind: K) => {
    const answersOfKind: unknown[] = (answers[kind] = []);
    for (const request of requests[kind]?.({ ...place, path }) ?? [])
      answersOfKind.push(await plain(await api.ask(kind, request)));
  };
  for (const kind of Object.keys(requests) as (keyof Requests)[]) {
    await askAll(kind);
    if (kind !== 'path') continue;
    // Each path has another id.
    const [found] = answers.path as AnswerOf<'path'>[];
    path = found?.id ?? NaN;
    answers.path = [found && { ...found, id: 0 }];
  }
  return answers;
}
