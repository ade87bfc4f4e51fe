import { afterEach, describe, expect, it, vi } from 'vitest';
import { fail, ok } from '../engine/base/fault.ts';
import { tempSpaceFull, type TempFile, type TempFiles } from '../engine/io/temp-file.ts';
import { downloadBy } from './download.ts';
import { FetchedServer, type Server } from './fetched-server.ts';

afterEach(() => vi.unstubAllGlobals());

const ADDRESS = 'https://traces.example/lock.tar';
const PIECE = new Uint8Array(1000);

/** A server that sends pieces for as long as it is read. */
function serve(status = 200): { isOpen: boolean; sent: number } {
  const server = { isOpen: true, sent: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (server.sent === 5) {
        server.isOpen = false;
        return controller.close();
      }
      server.sent++;
      controller.enqueue(PIECE);
    },
    cancel: () => void (server.isOpen = false),
  });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })));
  return server;
}

/** Temporary files into nothing, of which there is room for so many bytes. */
function tempFilesWith(room: number): TempFiles {
  const begin = (): TempFile => {
    let size = 0;
    return {
      get size() {
        return size;
      },
      write: ({ length }) => {
        if (size + length > room) return Promise.resolve(fail(tempSpaceFull('no room')));
        size += length;
        return Promise.resolve(ok(undefined));
      },
      finish: (path) => Promise.resolve(ok({ kind: 'memory', path, size, bytes: new Uint8Array(0) })),
    };
  };
  return {
    begin: () => Promise.resolve(room === 0 ? fail(tempSpaceFull('no room')) : ok(begin())),
    keepOnly: () => Promise.resolve(),
  };
}

function ask(room: number, shareList: number[] = []) {
  const download = downloadBy((address) => Promise.resolve(new FetchedServer(new URL(address))));
  const { signal } = new AbortController();
  return download(ADDRESS, {
    tempFiles: tempFilesWith(room),
    signal,
    onProgress: (bytes) => void shareList.push(bytes),
  });
}

describe('a download', () => {
  it('is a file with all that the server sent', async () => {
    const server = serve();
    const shareList: number[] = [];
    const { file, faults } = await ask(10_000, shareList);
    expect(faults).toEqual([]);
    expect(file).toMatchObject({ path: 'lock.tar', size: 5000 });
    expect(shareList).toEqual([1000, 2000, 3000, 4000, 5000]);
    expect(server.isOpen).toBe(false);
  });

  it('keeps what there is room for, and ends the rest', async () => {
    const server = serve();
    const { file, faults } = await ask(2500);
    expect(faults).toMatchObject([{ code: 'spill-full', place: { file: ADDRESS } }]);
    expect(file?.size).toBe(2000);
    expect(server.isOpen).toBe(false);
  });

  it.each([
    ['there is no room for any of it', 200, 0, { code: 'spill-full' }],
    ['the server refuses it', 404, 10_000, { code: 'address-unreadable', found: 'HTTP 404' }],
  ])('leaves no connection open when %s', async (_, status, room, fault) => {
    const server = serve(status);
    const { file, faults } = await ask(room);
    expect(file).toBeUndefined();
    expect(faults).toMatchObject([fault]);
    expect(server.isOpen).toBe(false);
  });
});

/** A server that answers as it is told, and says how many bytes come; what it is asked after its end has no answer. */
function odd(totalBytes: number, read: () => Promise<Uint8Array | undefined>): Server & { ended: number } {
  const never = new Promise<never>(() => undefined);
  const server = {
    ended: 0,
    ask: () => Promise.resolve({ status: 200, isFine: true, totalBytes }),
    read: () => (server.ended > 0 ? never : read()),
    end: () => {
      server.ended++;
      return never;
    },
  };
  return server;
}

function take(server: Server, onProgress: (bytes: number) => void = () => undefined) {
  const stop = new AbortController();
  const { signal } = stop;
  const download = downloadBy(() => Promise.resolve(server));
  return { stop, outcome: download(ADDRESS, { tempFiles: tempFilesWith(Infinity), signal, onProgress }) };
}

describe('a download that is stopped', () => {
  it('ends at once where the server sends as fast as it is read, and keeps what came', async () => {
    let count = 0;
    const { stop, outcome } = take(
      odd(0, () => Promise.resolve(PIECE)),
      () => {
        if (++count === 10) stop.abort();
      },
    );
    const { file, faults } = await outcome;
    expect(faults).toMatchObject([{ code: 'cancelled', place: { file: ADDRESS }, readSoFar: '10000 bytes' }]);
    expect(file?.size).toBe(10_000);
  });

  it.each([
    ['sends nothing', odd(0, () => new Promise(() => undefined))],
    [
      'does not answer',
      { ...odd(0, () => Promise.resolve(PIECE)), ask: () => new Promise<never>(() => undefined) },
    ],
  ])('ends where the server %s', async (_, server) => {
    const { stop, outcome } = take(server);
    await Promise.resolve();
    stop.abort();
    expect((await outcome).faults).toMatchObject([{ code: 'cancelled' }]);
  });
});

describe('a file that is too large', () => {
  it('is refused by what the server says', async () => {
    let reads = 0;
    const server = odd(1.126e15, () => Promise.resolve(reads++ < 3 ? PIECE : undefined));
    server.end = () => Promise.resolve();
    const { file, faults } = await take(server).outcome;
    expect([file, reads]).toEqual([undefined, 0]);
    expect(faults).toEqual([
      {
        code: 'over-limit',
        place: { file: ADDRESS },
        expected: 'a file of at most 68719476736 bytes',
        found: 'a file of 1126000000000000 bytes',
      },
    ]);
  });

  it('is refused where the browser has no room for it', async () => {
    const estimate = () => Promise.resolve({ usage: 600, quota: 1000 });
    vi.stubGlobal('navigator', { storage: { estimate } });
    const server = odd(5000, () => Promise.resolve(PIECE));
    server.end = () => Promise.resolve();
    expect(await take(server).outcome).toEqual({
      faults: [
        {
          code: 'spill-full',
          place: { file: ADDRESS },
          expected: 'at most 400 bytes',
          found: 'a file of 5000 bytes',
        },
      ],
    });
  });

  it('is refused where it does not end', async () => {
    const piece = new Uint8Array(2 ** 26);
    const server = odd(0, () => Promise.resolve(piece));
    server.end = () => Promise.resolve();
    const { file, faults } = await take(server).outcome;
    expect(file).toBeUndefined();
    expect(faults).toMatchObject([{ code: 'over-limit', found: 'a body without end' }]);
  });
});
