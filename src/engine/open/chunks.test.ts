/** A trace in the folders of a rotated session, or of snapshots that overlap, is the same as in one folder. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSession, type LocalOutcome, type LocalSession } from '../../../test/support/local-session.ts';
import { memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { randomOf } from '../../../test/support/simulator/random.ts';
import { inFolders } from '../../../test/support/trace-chunks.ts';
import { loadTrace } from '../../../test/support/trace-files.ts';
import { eventsFrom } from '../../../test/support/events-from.ts';

const files = loadTrace(join(projectDir(), 'public/examples/imbalance-4t/kernel'));

/** What a page shows of it, but for names of folders. */
async function answersOf({ api }: LocalSession, { info, rows }: LocalOutcome) {
  const attributes = rows.map(({ attribute }) => attribute).filter((attribute) => attribute >= 0);
  return {
    hosts: info.hosts.map((host) => ({ ...host, name: '' })),
    streams: info.streams.map(({ name, bytes, packets, events, state }) => [
      name,
      bytes,
      packets,
      events,
      state,
    ]),
    rows: rows.map((row) => (row.kind === 'host' ? { ...row, name: '' } : row)),
    whole: await api.ask('tile', {
      host: 0,
      attributes: attributes,
      from: 0,
      to: info.lengthNs,
      bucketNs: info.lengthNs / 1000,
    }),
    cpu: await api.ask('cpu', {}),
    counts: await api.ask('counts', {}),
    io: await api.ask('io', { range: { from: 200e6, to: 400e6 } }),
    calls: await api.ask('syscalls', { range: { from: 200e6, to: 400e6 } }),
    // The trace and packet that they lie in are others.
    events: (await eventsFrom(api, 300e6, 50)).map(({ place: _, ...event }) => event),
  };
}

describe('the chunks of a trace', () => {
  let known: ReturnType<typeof answersOf> | undefined;
  const ofOneFolder = () => (known ??= openedWhole());

  async function openedWhole() {
    const one = localSession();
    return answersOf(one, await one.open(memoryRefs(files), { chunkBytes: 8192 }));
  }

  it.each([
    ['that follow each other', { folders: 4, overlap: false, partial: false }],
    ['that overlap', { folders: 3, overlap: true, partial: false }],
    ['that each know some events', { folders: 3, overlap: true, partial: true }],
  ])('%s are one host, with every row and event once', async (_, form) => {
    const many = localSession();
    const chunks = await inFolders(files, form, randomOf(7));
    const read = await many.open(memoryRefs(chunks), { chunkBytes: 8192 });
    expect(read.phase).toBe('done');
    expect(read.info.faults).toEqual([]);
    expect(new Set(read.info.streams.map(({ trace }) => trace))).toEqual(new Set(['session/*/kernel']));
    expect(await answersOf(many, read)).toEqual(await ofOneFolder());
  });
});
