/** A session as the page has one, over a recorded trace that is in memory: no bench measures the disk by accident. */
import { blobTempFiles } from '../src/engine/io/browser-temp-files.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import type { SessionApi } from '../src/engine/protocol/session.ts';
import { unpackRows } from '../src/engine/answers/rows/row-columns.ts';
import type { RowInfo } from '../src/engine/protocol/rows.ts';
import { Session } from '../src/engine/open/session.ts';
import { MemoryStore } from '../src/engine/store/memory-store.ts';
import { createLocalExecutor } from '../src/workers/local-executor.ts';
import { mapSet } from '../src/engine/maps.ts';
import { openInMemory } from './memory-trace.ts';

export interface OpenedSession {
  readonly session: SessionApi;
  readonly lengthNs: number;
  readonly rows: readonly RowInfo[];
}

/** Read to its end. @param folder holds `metadata` */
export async function openSession(folder: string): Promise<OpenedSession> {
  const { files } = await openInMemory(folder);
  const session = new Session({
    openSource,
    tempFiles: blobTempFiles(),
    openStore: () =>
      Promise.resolve({
        store: new MemoryStore(),
        fault: () => undefined,
        estimate: () => Promise.resolve({ usedBytes: 0, quotaBytes: 0 }),
      }),
    startExecutor: async (experiment, analyses) => {
      return {
        ...createLocalExecutor({ experiment, analyses }, openSource, mapSet),
        dispose: () => undefined,
      };
    },
    workers: 1,
  });
  return new Promise((resolve, reject) => {
    let rows: readonly RowInfo[] = [];
    const opened = session.open(files, {}, (update) => {
      if (update.rows !== undefined) rows = unpackRows(update.rows);
      if (update.progress.phase === 'done') resolve({ session, rows, lengthNs: update.info?.lengthNs ?? 0 });
    });
    opened.then((outcome) => void (outcome.ok || reject(new Error(outcome.fault.code))), reject);
  });
}
