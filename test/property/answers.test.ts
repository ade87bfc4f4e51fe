/** What the page draws and tells of rows depends on events alone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionApi } from '../../src/engine/session/api.ts';
import { unpackRows } from '../../src/engine/session/rows/row-columns.ts';
import type { RowInfo } from '../../src/engine/session/rows/rows-api.ts';
import { localSession } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { recordedAs } from '../support/trace-chunks.ts';
import { recordings } from './recordings.ts';
import { runsOf } from './runs.ts';

const share = fc.double({ noNaN: true, min: 0, max: 1 });

const question = fc.record({
  row: fc.nat(),
  begin: share,
  length: share,
  buckets: fc.constantFrom(1, 10, 1_000),
  criterion: fc.constantFrom('main-task', 'exact', 'reconvergence'),
} as const);

type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const cases = fc.record({
  seed: fc.nat(),
  chunkBytes: fc.constantFrom(1, 600, 5_000, 4 << 20),
  recording: recordings,
  questions: fc.array(question, { minLength: 1, maxLength: 6 }),
});

describe('rows of simulated kernels, what is drawn of them and their paths', () => {
  it('are the same with any packets, folders and chunks, and when the trace is opened again', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, chunkBytes, recording, questions }) => {
        const { files } = simulate(settingsOf(seed));
        const plain = localSession();
        const { info, rows } = await plain.open(folderRefs(files));
        const expected = await answersOf(plain.api, rows, info.lengthNs, questions);
        const session = localSession();
        const opened = await session.open(folderRefs(await recordedAs(files, recording, seed)), {
          chunkBytes,
        });
        expect(await answersOf(session.api, opened.rows, opened.info.lengthNs, questions)).toEqual(expected);
        await session.api.close();
        const kept = await session.reopen(opened.info.key);
        if (!kept.ok) throw new Error(`not opened again: ${kept.fault.code}`);
        const keptRows = unpackRows(kept.rows);
        expect(await answersOf(session.api, keptRows, kept.info.lengthNs, questions)).toEqual(expected);
      }),
      { numRuns: runsOf(15) },
    );
  });
});

async function answersOf(
  api: SessionApi,
  rows: readonly RowInfo[],
  lengthNs: number,
  questions: readonly Question[],
) {
  const answers = [];
  for (const asked of questions) answers.push(await answersOn(api, rows, lengthNs, asked));
  // A host without a name is called as its folder.
  const named = rows.map((row) => (row.kind === 'host' ? { ...row, name: '' } : row));
  return { rows: named, lengthNs, answers };
}

/** All that the page asks of a row and a range. */
async function answersOn(
  api: SessionApi,
  rows: readonly RowInfo[],
  lengthNs: number,
  { row, begin, length, buckets, criterion }: Question,
) {
  const drawn = rows.filter(({ attribute }) => attribute >= 0);
  const asked = drawn[row % drawn.length];
  const { id, host } = asked;
  const from = Math.round(begin * (lengthNs - 1));
  const to = from + Math.max(1, Math.round(length * (lengthNs - from)));
  const bucketNs = Math.max(1, (to - from) / buckets);
  const attributes = drawn.filter((other) => other.host === host).map(({ attribute }) => attribute);
  const path = asked.kind === 'thread' ? { row: id, range: { from, to }, criterion } : undefined;
  const { id: pathId, ...found } = (path && (await api.ask('path', path))) ?? { id: NaN };
  return {
    interval: await api.ask('interval', { row: id, timeNs: from }),
    before: await api.ask('interval', { row: id, timeNs: from, step: -1 }),
    after: await api.ask('interval', { row: id, timeNs: from, step: 1 }),
    tile: await api.ask('tile', { host, attributes, from, to, bucketNs }),
    load: await api.ask('load', { host, attributes: [asked.attribute], from, to, bucketNs }),
    path: found,
    parts: await api.ask('pathParts', { path: pathId }),
  };
}
