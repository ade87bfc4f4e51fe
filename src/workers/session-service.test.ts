import { expose, proxy } from 'comlink';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../test/support/until.ts';
import { localSession, openLocal } from '../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../test/support/memory-files.ts';
import { projectDir } from '../../test/support/shared.ts';
import { packRows } from '../engine/answers/rows/row-writer.ts';
import { loadCode } from '../engine/base/later-code.ts';
import type { Progress, SessionApi, SessionUpdate } from '../engine/protocol/session.ts';
import { queryOf } from '../engine/answers/queries.ts';
import type { QueryKind } from '../engine/protocol/queries.ts';
import { sessionClient } from './session-api.ts';
import { sessionService } from './session-service.ts';

const EXAMPLE = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/imbalance-4t')));
const THREAD = 'thread:0:219';
/** In the middle of the trace. */
const RANGE = { from: 200e6, to: 400e6 };

let channel: MessageChannel;
beforeEach(() => (channel = new MessageChannel()));
afterEach(() => channel.port1.close());

/** The page's end of a channel at whose other end a session is served. */
function serve(session: SessionApi) {
  const stop = vi.fn(() => Promise.resolve());
  const startRehearsal = () => ({ ended: Promise.resolve(), stop });
  expose(
    sessionService(session, {
      startRehearsal,
      useServers: () => Promise.resolve(),
      waitForCode: () => Promise.resolve(),
      readingTime: () => Promise.resolve(undefined),
    }),
    channel.port2,
  );
  channel.port2.start();
  channel.port1.start();
  const whenCodeIsBack = vi.fn(() => Promise.resolve());
  return { page: sessionClient(channel.port1, whenCodeIsBack), stop, whenCodeIsBack };
}

describe('a session beyond a channel', () => {
  it('answers as the session does', async () => {
    const session = await openLocal(EXAMPLE, { chunkBytes: 4096 });
    const { page } = serve(session.api);
    for (const kind of ['counts', 'cpu', 'irq'] as const)
      expect(await page.ask(kind, { range: RANGE })).toEqual(await session.api.ask(kind, { range: RANGE }));
    const path = await page.ask('path', { row: THREAD, criterion: 'main-task' });
    const parts = await page.ask('pathParts', { path: path?.id ?? NaN });
    expect(parts?.parts.ns.reduce((sum, ns) => sum + ns, 0)).toBe((path?.to ?? 0) - (path?.from ?? 0));
    expect(await page.ask('path', { row: 'cpu:0:0', criterion: 'main-task' })).toBeUndefined();
  });

  it('asks again once code that could not be loaded is back, or gives up with the reader', async () => {
    const { api } = localSession();
    const lacking = () => loadCode(() => Promise.reject(new TypeError('Failed to fetch')));
    const ask = vi.spyOn(api, 'ask').mockImplementationOnce(lacking).mockImplementationOnce(lacking);
    const { page, whenCodeIsBack } = serve(api);
    const question = page.ask('plots', {});
    expect(await question).toBeUndefined();
    expect([ask.mock.calls.length, whenCodeIsBack.mock.calls.length]).toEqual([3, 2]);

    ask.mockImplementation(lacking);
    whenCodeIsBack.mockReturnValue(new Promise(() => undefined));
    const control = new AbortController();
    const waiting = page.ask('plots', {}, control);
    await until(() => whenCodeIsBack.mock.calls.length === 3);
    control.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });

  it('hears how far an answer is, chunk by chunk', async () => {
    const session = await openLocal(EXAMPLE, { chunkBytes: 4096 });
    const shares: number[] = [];
    await serve(session.api).page.ask(
      'counts',
      { range: RANGE },
      { onProgress: (share) => void shares.push(share) },
    );
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
  });

  it('gives up a question in the worker, too', async () => {
    const abort = new AbortController();
    let asked: AbortSignal | undefined;
    const hanging = {
      ask: (_kind: QueryKind, _request: unknown, { signal }: { signal?: AbortSignal }) => {
        asked = signal;
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    } as unknown as SessionApi;
    const question = serve(hanging).page.ask('counts', {}, { signal: abort.signal });
    await until(() => asked !== undefined);
    const reason = new Error('left');
    abort.abort(reason);
    await expect(question).rejects.toBe(reason);
    expect(asked?.aborted).toBe(true);
  });

  it('stops decoding the chunks of a range that nobody waits for', async () => {
    const session = await openLocal(EXAMPLE, { chunkBytes: 1 });
    const abort = new AbortController();
    const reason = new Error('left');
    let steps = 0;
    const onProgress = () => {
      if (++steps === 2) abort.abort(reason);
    };
    const question = session.api.ask('counts', { range: RANGE }, { signal: abort.signal, onProgress });
    await expect(question).rejects.toBe(reason);
    expect(steps).toBe(2);
  });

  it('ends a rehearsal before it opens anything', async () => {
    const order: string[] = [];
    const opening = {
      open: () => Promise.resolve(void order.push('open')),
      reopen: () => Promise.resolve(void order.push('reopen')),
    } as unknown as SessionApi;
    const { page, stop } = serve(opening);
    stop.mockImplementation(() => Promise.resolve(void order.push('stop')));
    await page.rehearse([]);
    await page.open([], {}, undefined as never);
    await page.reopen('key', undefined as never);
    expect(order).toEqual(['stop', 'open', 'stop', 'reopen']);
  });

  it('hands the page rows of its own, and keeps those that it sends again', async () => {
    const times = { cpuTimeNs: 7, events: 0, firstNs: 0, lastNs: 9 };
    const common = { host: 0, attribute: 3, ran: true, kernelThread: false, ...times };
    const rows = packRows([
      { ...common, id: 'host:0', name: 'machine', kind: 'host', parent: -1 },
      { ...common, id: 'thread:0:5', name: 'é🦆', kind: 'thread', parent: 0, tid: 5 },
    ]);
    const progress = { phase: 'done' } as Progress;
    const sending = {
      open: (...[, , onUpdate]: Parameters<SessionApi['open']>) => {
        for (let times = 0; times < 2; times++) void onUpdate({ progress, rows });
        return Promise.resolve();
      },
    } as unknown as SessionApi;
    const got: SessionUpdate[] = [];
    const onUpdate = (update: SessionUpdate) => void got.push(update);
    void serve(sending).page.open([], {}, proxy(onUpdate));
    await until(() => got.length === 2);
    expect(got).toEqual([
      { progress, rows },
      { progress, rows },
    ]);
  });

  it('hands over the buffers of the kinds that are marked, and of no others', async () => {
    const session = await openLocal(EXAMPLE);
    const answers: { kind: QueryKind; value: ArrayBufferView }[] = [];
    const watching = {
      ask: async (kind: QueryKind, request: never) => {
        const answer = (await session.api.ask(kind, request)) as unknown as object;
        const value: unknown = Object.values(answer).find((part) => ArrayBuffer.isView(part));
        if (ArrayBuffer.isView(value)) answers.push({ kind, value });
        return answer;
      },
    } as unknown as SessionApi;
    const { page } = serve(watching);
    const picture = { host: 0, attributes: [0, 1], from: 0, to: 1e9, bucketNs: 1e6 };
    await page.ask('tile', picture);
    await page.ask('load', picture);
    expect(answers.map(({ kind }) => kind)).toEqual(['tile', 'load']);
    for (const { kind, value } of answers)
      expect(value.byteLength === 0, kind).toBe(queryOf(kind).isTransferred);
  });
});
