import { afterAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../../test/support/until.ts';
import type { Fault } from '../../engine/base/fault.ts';
import type { SourceRef } from '../../engine/io/byte-source.ts';
import { plainRow } from '../../engine/answers/rows/row-columns.ts';
import { packRows } from '../../engine/answers/rows/row-writer.ts';
import type {
  ExperimentInfo,
  OpenOutcome,
  Progress,
  SessionApi,
  UpdateListener,
} from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { PageExperiment, type Experiment } from './experiment.ts';

const infoOf = (key: string) => ({ key, name: `trace ${key}`, lengthNs: 10 }) as ExperimentInfo;
const rowsOf = (key: string): RowInfo[] => [
  {
    ...{ id: key, parent: -1, kind: 'host', name: `host of ${key}`, host: 0, attribute: -1, cpuTimeNs: 5 },
    ...{ events: 0, ran: true, kernelThread: false, firstNs: 0, lastNs: 10 },
  },
];
const namesOf = ({ rows }: Experiment) => rows.value.map(({ name }) => name);
const read = { bytes: 1, totalBytes: 2, events: 3, seconds: 1, watermarkNs: 4 };
const reading: Progress = { phase: 'reading', ...read };

vi.stubGlobal('requestAnimationFrame', (paint: () => void) => setTimeout(paint));
afterAll(() => vi.unstubAllGlobals());

/** A session whose answers are given by hand. */
function heldSession() {
  const asked: { update: UpdateListener; answer: (outcome: OpenOutcome) => void }[] = [];
  const ask = (update: UpdateListener) =>
    new Promise<OpenOutcome>((answer) => asked.push({ update, answer }));
  const session = {
    open: (_files: unknown, _options: unknown, update: UpdateListener) => ask(update),
    reopen: (_key: string, update: UpdateListener) => ask(update),
    close: () => Promise.resolve(),
  } as unknown as SessionApi;
  return { session, asked };
}

const good = (key: string): OpenOutcome => ({
  ok: true,
  info: infoOf(key),
  files: [],
  rows: packRows(rowsOf(key)),
  progress: reading,
});

const FILE = { kind: 'memory', path: 'a', size: 0, bytes: new Uint8Array() } as const;

/** One that is being opened, and what its session was asked. */
function begun(files: readonly SourceRef[] = []) {
  const { session, asked } = heldSession();
  const experiment = new PageExperiment(session);
  return { experiment, asked, opening: experiment.open(files, 'x') };
}

/** One that is open, and what its session was asked. */
async function opened(files: readonly SourceRef[]) {
  const { experiment, asked, opening } = begun(files);
  asked[0].answer({ ...good('a'), files } as OpenOutcome);
  await opening;
  return { experiment, asked };
}

describe('an experiment', () => {
  it('goes from start over opening to open', async () => {
    const { session, asked } = heldSession();
    const experiment = new PageExperiment(session);
    const opening = experiment.open([], 'dropped');
    expect(experiment.stage.value).toBe('opening');
    expect(experiment.name.value).toBe('dropped');
    asked[0].update({ progress: reading });
    expect(experiment.progress.value).toEqual(reading);
    asked[0].answer(good('a'));
    await opening;
    expect(experiment.stage.value).toBe('open');
    expect(experiment.name.value).toBe('trace a');
    expect(namesOf(experiment)).toEqual(['host of a']);
  });

  it('is shown by the clocks of the link that led to it, and no other trace is', async () => {
    const clocks = { offsets: new Map([[1, 5n]]) };
    const { session, asked } = heldSession();
    const experiment = new PageExperiment(session, undefined, () => {
      return { trace: 'its files', sideBySide: false, clocks };
    });
    for (const [key, shown] of [
      ['its files~0123456789abcdef', clocks],
      ['others~0123456789abcdef', undefined],
    ] as const) {
      const opening = experiment.open([], key);
      asked.at(-1)?.answer(good(key));
      await opening;
      expect(experiment.clocks.value).toBe(shown);
    }
    // What the user says goes before the link.
    const own = experiment.useClocks({});
    asked.at(-1)?.answer(good('a'));
    await own;
    expect(experiment.clocks.value).toEqual({});
  });

  it('tells that it is being read when the answer comes before the first update', async () => {
    const { experiment } = await opened([]);
    expect(experiment.progress.value).toEqual(reading);
  });

  it('keeps rows that came with an update before the answer', async () => {
    const { experiment, asked, opening } = begun();
    asked[0].update({ progress: reading, info: infoOf('a'), rows: packRows(rowsOf('newer')) });
    asked[0].answer(good('a'));
    await opening;
    expect(namesOf(experiment)).toEqual(['host of newer']);
  });

  it('is back at the start with the fault when nothing can be opened', async () => {
    const { experiment, asked, opening } = begun();
    asked[0].answer({ ok: false, fault: { code: 'not-a-trace', place: {} } });
    await opening;
    expect(experiment.stage.value).toBe('start');
    expect(experiment.fault.value?.code).toBe('not-a-trace');
  });

  it('is back at the start with the fault when reading fails, whatever is answered then', async () => {
    const { experiment, asked, opening } = begun();
    asked[0].update({ progress: reading, info: infoOf('a'), rows: packRows(rowsOf('a')) });
    expect(experiment.stage.value).toBe('open');
    const fault = { code: 'workers-unavailable', place: {} } as const;
    asked[0].update({ progress: { ...reading, phase: 'failed' }, fault });
    asked[0].answer(good('a'));
    await opening;
    expect(experiment.stage.value).toBe('start');
    expect(experiment.fault.value).toEqual(fault);
    expect(experiment.rows.value).toEqual([]);
  });

  it('gives rows of layers the names that are found out later; nothing else of them changes', async () => {
    const { experiment, asked, opening } = begun();
    const [host] = rowsOf('a');
    const of = { id: 'lock:0:mutex:1:0x10:h', parent: 0, name: 'mutex 0x10' };
    const lock: RowInfo = { ...host, ...of, kind: 'layer' };
    asked[0].answer({ ...good('a'), rows: packRows([host, lock]) } as OpenOutcome);
    await opening;
    const before = experiment.rows.value.map(plainRow);
    experiment.rowNames.value = new Map([[lock.id, 'mutex m_hot']]);
    expect(experiment.rows.value.map(plainRow)).toEqual([before[0], { ...before[1], name: 'mutex m_hot' }]);
  });

  it('hears nothing more of what was replaced', async () => {
    const { session, asked } = heldSession();
    const experiment = new PageExperiment(session);
    const first = experiment.open([], 'first');
    const second = experiment.reopen('b', 'second');
    asked[1].answer(good('b'));
    await second;
    asked[0].update({ progress: { ...reading, events: 99 }, rows: packRows(rowsOf('late')) });
    asked[0].answer(good('a'));
    await first;
    expect(experiment.info.value?.key).toBe('b');
    expect(namesOf(experiment)).toEqual(['host of b']);
    expect(experiment.progress.value).toEqual(reading);
  });

  it('stays in sight while something is added to it', async () => {
    const { experiment, asked } = await opened([FILE]);
    const before = experiment.shown.value;
    const adding = experiment.add({ key: 'b', files: [FILE], faults: [] }, 'y');
    expect(experiment.stage.value).toBe('open');
    expect(experiment.info.value?.key).toBe('a');
    expect(experiment.shown.value).toBe(before);
    asked[1].answer(good('both'));
    await adding;
    expect(experiment.info.value?.key).toBe('both');
    expect(namesOf(experiment)).toEqual(['host of both']);
    expect(experiment.shown.value).not.toBe(before);
  });

  it('knows where it was fetched from, at once or after it was looked at', async () => {
    const { session, asked } = heldSession();
    const experiment = new PageExperiment(session);
    const url = 'https://traces.example/a.zip';
    void experiment.open(url, 'a.zip');
    expect(experiment.url.value).toBe(url);
    const replacing = experiment.replace({ key: 'b', files: [], faults: [], url: `${url}?b` }, 'b');
    asked[1].answer(good('b'));
    await replacing;
    expect(experiment.info.value?.key).toBe('b');
    expect(experiment.url.value).toBe(`${url}?b`);
    void experiment.replace({ key: 'c', files: [], faults: [] }, 'c');
    expect(experiment.url.value).toBeUndefined();
  });

  it('is back at the start when the session fails', async () => {
    const failing = { open: () => Promise.reject(new Error('lost')) } as unknown as SessionApi;
    const experiment = new PageExperiment(failing);
    await expect(experiment.open([], 'x')).rejects.toThrow('lost');
    expect(experiment.stage.value).toBe('start');
  });

  it('has no files to add to once it is closed', async () => {
    const { experiment } = await opened([FILE]);
    expect(experiment.hasFiles.value).toBe(true);
    await experiment.close();
    expect(experiment.hasFiles.value).toBe(false);
  });

  it('says when the user closed it', async () => {
    const { experiment } = await opened([]);
    await experiment.close();
    expect(experiment.stage.value).toBe('start');
    expect(experiment.closed.value).toBe(true);
    expect(experiment.info.value).toBeUndefined();
  });

  it('is read again, once, when it is damaged and its files are there', async () => {
    const { experiment, asked } = await opened([FILE]);
    const fault: Fault = { code: 'store-damaged', place: {} };
    const damage = { parts: ['states'], faults: [fault] };
    asked[0].update({ progress: reading, damage });
    expect(experiment.damage.value).toEqual(damage);
    expect(experiment.info.value?.faults).toEqual([fault]);
    expect(asked).toHaveLength(2);
    asked[1].update({ progress: reading, info: infoOf('a'), rows: packRows(rowsOf('a')) });
    expect(experiment.damage.value).toBeUndefined();
    expect(experiment.info.value?.faults ?? []).toEqual([]);
    asked[1].answer({ ...good('a'), files: [FILE] } as OpenOutcome);
    await until(() => experiment.shown.value === experiment.edition);
    asked[1].update({ progress: reading, damage });
    expect(experiment.damage.value).toEqual(damage);
    expect(asked).toHaveLength(2);
  });

  it('without its files stays damaged until they are given', async () => {
    const { session, asked } = heldSession();
    const connected = { ...session, attachFiles: () => Promise.resolve(true) } as unknown as SessionApi;
    const experiment = new PageExperiment(connected);
    const opening = experiment.reopen('a', 'x');
    const damage = { parts: ['states'], faults: [] };
    asked[0].update({ progress: reading, info: infoOf('a'), rows: packRows(rowsOf('a')) });
    asked[0].update({ progress: reading, damage });
    asked[0].answer(good('a'));
    await opening;
    expect(experiment.damage.value).toEqual(damage);
    expect(asked).toHaveLength(1);
    await experiment.connect(Promise.resolve([FILE]));
    expect(asked).toHaveLength(2);
  });

  it('too damaged to be shown is opened from the example that it is', async () => {
    const { session, asked } = heldSession();
    const fault: Fault = { code: 'store-damaged', place: {} };
    const findExample = (name: string, trace: string) =>
      Promise.resolve(name === 'example' ? { key: trace, files: [], faults: [] } : undefined);
    const experiment = new PageExperiment(session, findExample);
    const other = experiment.reopen('a-1', 'no example');
    asked[0].answer({ ok: false, fault });
    await other;
    expect(experiment.fault.value).toEqual(fault);
    const opening = experiment.reopen('a-1', 'example');
    asked[1].answer({ ok: false, fault });
    await until(() => asked.length === 3);
    asked[2].answer(good('a'));
    await opening;
    expect(experiment.stage.value).toBe('open');
    expect(experiment.fault.value).toBeUndefined();
  });
});
