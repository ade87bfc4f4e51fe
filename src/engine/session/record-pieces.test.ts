import { describe, expect, it } from 'vitest';
import { fail, ok } from '../base/result.ts';
import type { HistoryRecords } from '../history/persist.ts';
import { readPieces, writeInPieces } from './record-pieces.ts';

function recordsIn(written: Map<string, unknown>, { copies = true, room = Infinity } = {}): HistoryRecords {
  return {
    write: (records) => {
      if (written.size >= room) return Promise.resolve(fail({ code: 'store-full', place: {} }));
      for (const { name, value } of records) written.set(name, copies ? structuredClone(value) : value);
      return Promise.resolve(ok(undefined));
    },
    read: (name) => Promise.resolve(written.get(name)),
    copies: () => copies,
  };
}

const value = {
  text: 'x',
  none: undefined,
  nothing: null,
  hosts: [
    { key: Uint32Array.from({ length: 37 }, (_, i) => i), few: Float64Array.of(1, NaN) },
    { key: new Uint32Array(0), times: Float64Array.from({ length: 10 }, (_, i) => i / 3) },
  ],
  map: new Map([['a', new Uint8Array(100)]]),
};

describe('records in pieces', () => {
  it('come back as they were, and no piece is longer than allowed', async () => {
    const written = new Map<string, unknown>();
    const records = recordsIn(written);
    expect(await writeInPieces(records, 'session', value, 32)).toEqual(ok(undefined));
    const pieces = [...written].filter(([name]) => name !== 'session');
    expect(pieces.length).toBe(Math.ceil((37 * 4) / 32) + Math.ceil(80 / 32));
    for (const [, piece] of pieces) expect((piece as Uint8Array).byteLength).toBeLessThanOrEqual(32);
    expect(await readPieces(records, 'session')).toEqual(value);
    expect(value.hosts[0].key.length).toBe(37);
  });

  it('are undefined when a piece is not there', async () => {
    const written = new Map<string, unknown>();
    await writeInPieces(recordsIn(written), 'session', value, 32);
    written.delete('session/0/2');
    expect(await readPieces(recordsIn(written), 'session')).toBeUndefined();
    expect(await readPieces(recordsIn(new Map()), 'session')).toBeUndefined();
  });

  it('are not there as a whole when the store takes no more', async () => {
    const written = new Map<string, unknown>();
    expect(await writeInPieces(recordsIn(written, { room: 2 }), 'session', value, 32)).toMatchObject({
      ok: false,
    });
    expect(written.has('session')).toBe(false);
  });

  it('are the value itself where nothing is copied', async () => {
    const written = new Map<string, unknown>();
    const records = recordsIn(written, { copies: false });
    await writeInPieces(records, 'session', value, 32);
    expect([...written.keys()]).toEqual(['session']);
    expect(await readPieces(records, 'session')).toBe(value);
  });
});
