import { afterEach, describe, expect, it, vi } from 'vitest';
import { fail, ok } from '../engine/base/result.ts';
import { tempSpaceFull, type TempFile, type TempFiles } from '../engine/io/temp-file.ts';
import { downloadBy } from './download.ts';
import { FetchedServer } from './fetched-server.ts';

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
      finish: (path) => Promise.resolve(ok({ kind: 'memory', path, size, bytes: new Uint8Array(size) })),
    };
  };
  return {
    begin: () => Promise.resolve(room === 0 ? fail(tempSpaceFull('no room')) : ok(begin())),
    keepOnly: () => Promise.resolve(),
  };
}

function ask(room: number, told: number[] = []) {
  const download = downloadBy((address) => Promise.resolve(new FetchedServer(new URL(address))));
  const { signal } = new AbortController();
  return download(ADDRESS, {
    tempFiles: tempFilesWith(room),
    signal,
    onProgress: (bytes) => void told.push(bytes),
  });
}

describe('a download', () => {
  it('is a file with all that the server sent', async () => {
    const server = serve();
    const told: number[] = [];
    const { file, faults } = await ask(10_000, told);
    expect(faults).toEqual([]);
    expect(file).toMatchObject({ path: 'lock.tar', size: 5000 });
    expect(told).toEqual([1000, 2000, 3000, 4000, 5000]);
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
