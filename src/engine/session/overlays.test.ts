/**
 * Overlays of a recorded trace, through the session as the page has it. `executions-lock`: three workers answer 300
 * requests, delimited by wk_req:begin and wk_req:end; ABOUT.md tells the longest ones.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession, type LocalSession } from '../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { ok } from '../base/result.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { RowInfo } from './api.ts';
import type { OverlayInfo } from './overlay-api.ts';
import { unpackRows } from './row-columns.ts';

const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock')));

/** Of a session that has read everything: what it tells of overlays once they are there too. */
async function overlaysOf({ api, updates }: LocalSession): Promise<{ info: OverlayInfo; rows: RowInfo[] }> {
  for (;;) {
    const info = await api.overlays();
    const rows = updates.findLast((update) => update.rows !== undefined)?.rows;
    const all = rows === undefined ? [] : unpackRows(rows);
    if (info !== undefined && all.some(({ kind }) => kind === 'overlay')) return { info, rows: all };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('overlays of a recorded trace', () => {
  const store = new MemoryStore();
  const session = localSession({ store: ok(store) });
  let info: OverlayInfo;
  let rows: RowInfo[];
  let key = '';
  beforeAll(async () => {
    key = (await session.open(files)).info.key;
    ({ info, rows } = await overlaysOf(session));
  });

  it('are suggested by the names of events', () => {
    expect(info.suggestions).toEqual([
      {
        definition: {
          name: 'wk_req',
          begin: 'wk_req:begin',
          end: 'wk_req:end',
          key: ['id'],
          acrossThreads: false,
          label: ['id'],
        },
        events: 600,
      },
    ]);
    expect(info.definitions).toEqual(info.suggestions.map(({ definition }) => definition));
  });

  it('have every request', () => {
    expect(info.stats).toMatchObject([
      { name: 'wk_req', spans: 300, withoutBegin: 0, withoutEnd: 0, tooDeep: 0 },
    ]);
    // The longest is request 8 or 120, of 18.7 ms as the program measured it.
    expect(info.stats[0].maxNs / 1e6).toBeCloseTo(18.7, 0);
  });

  it('stand directly below their threads', () => {
    const overlays = rows.filter(({ kind }) => kind === 'overlay');
    expect(overlays.map(({ name }) => name)).toEqual(['wk_req', 'wk_req', 'wk_req']);
    const parents = overlays.map(({ parent }) => rows[parent]);
    expect(parents.map(({ tid }) => tid).sort()).toEqual([256, 257, 258]);
    overlays.forEach((row, i) => expect(rows.indexOf(row)).toBe(rows.indexOf(parents[i]) + 1));
  });
    console.log(info.stats, rows.length, key);
  });
});
