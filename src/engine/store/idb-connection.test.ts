import { openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdbConnection } from './idb-connection.ts';

vi.mock('idb', () => ({ openDB: vi.fn() }));

interface OpenedDatabase {
  readonly close: () => void;
  /** What the browser tells of it. */
  readonly callbacks: {
    readonly blocking: (version: number, blockedVersion: number | null) => void;
    readonly terminated: () => void;
  };
}

const opened: OpenedDatabase[] = [];

/** Opens in a task of its own, as a browser does. */
function openSoon(_name: string, _version: number, callbacks: object): Promise<unknown> {
  const database = { close: vi.fn(), callbacks } as unknown as OpenedDatabase;
  opened.push(database);
  return new Promise((resolve) => setTimeout(() => resolve(database)));
}

const database = async (connection: IdbConnection): Promise<unknown> => {
  const found = await connection.open();
  return found.ok ? found.value : found.fault.code;
};

beforeEach(() => {
  vi.stubGlobal('indexedDB', {});
  vi.mocked(openDB).mockImplementation(openSoon as unknown as typeof openDB);
});
afterEach(() => {
  vi.mocked(openDB).mockReset();
  vi.unstubAllGlobals();
  opened.length = 0;
});

describe('the connection to the database', () => {
  it('is one for all who ask at once, and who ask later', async () => {
    const connection = new IdbConnection('x');
    const [first, second] = await Promise.all([database(connection), database(connection)]);
    expect(first).toBe(opened[0]);
    expect(second).toBe(first);
    expect(await database(connection)).toBe(first);
    expect(opened.length).toBe(1);
  });

  it('is closed although it was still opening, and opens anew', async () => {
    const connection = new IdbConnection('x');
    const opening = connection.open();
    connection.close();
    await opening;
    expect(opened[0].close).toHaveBeenCalledOnce();
    expect(await database(connection)).toBe(opened[1]);
  });

  it('opens again when the browser ended it, and after a refusal', async () => {
    const connection = new IdbConnection('x');
    await connection.open();
    opened[0].callbacks.terminated();
    vi.mocked(openDB).mockRejectedValueOnce(new Error('refused'));
    expect(await database(connection)).toBe('store-unavailable');
    expect(await database(connection)).toBe(opened[1]);
  });

  it('is refused by a browser that throws when it is asked, and may be asked again', async () => {
    const connection = new IdbConnection('x');
    vi.mocked(openDB).mockImplementationOnce(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    const refused = await connection.open();
    expect(refused).toMatchObject({ ok: false, fault: { code: 'store-unavailable' } });
    expect(refused.ok ? '' : refused.fault.found).toContain('The operation is insecure.');
    expect(await database(connection)).toBe(opened[0]);
  });

  it('never comes back when another tab has a newer schema', async () => {
    const connection = new IdbConnection('x');
    await connection.open();
    opened[0].callbacks.blocking(2, 3);
    expect(await database(connection)).toBe('store-unavailable');
    await expect.poll(() => vi.mocked(opened[0].close).mock.calls.length).toBe(1);
    expect(opened.length).toBe(1);
  });

  it('gives way to who deletes the database, and makes it anew', async () => {
    const connection = new IdbConnection('x');
    await connection.open();
    opened[0].callbacks.blocking(2, null);
    await expect.poll(() => vi.mocked(opened[0].close).mock.calls.length).toBe(1);
    expect(await database(connection)).toBe(opened[1]);
  });
});

describe('a database that does not answer', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is given up after ten seconds, and not asked again', async () => {
    vi.mocked(openDB).mockReturnValue(new Promise(() => undefined));
    const connection = new IdbConnection('x');
    const asked = connection.open();
    await vi.advanceTimersByTimeAsync(9000);
    await expect(Promise.race([asked, Promise.resolve('waits')])).resolves.toBe('waits');
    await vi.advanceTimersByTimeAsync(1000);
    const found = 'the storage of the browser did not answer for 10 s: another visit may still hold it';
    expect(await asked).toEqual({ ok: false, fault: { code: 'store-unavailable', place: {}, found } });
    expect(await database(connection)).toBe('store-unavailable');
    expect(openDB).toHaveBeenCalledOnce();
  });

  it('has opened, but holds a transaction back: it is given up as well', async () => {
    const objectStore = () => ({ get: () => new Promise(() => undefined) });
    const transaction = () => ({ objectStore, done: new Promise(() => undefined) });
    vi.mocked(openDB).mockResolvedValue({ transaction } as never);
    const connection = new IdbConnection('x');
    const tried = connection.tryAll();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await tried).toMatchObject({ ok: false, fault: { code: 'store-unavailable' } });
    expect(await database(connection)).toBe('store-unavailable');
  });

  it('and one that is late is not', async () => {
    vi.mocked(openDB).mockResolvedValue({} as never);
    const connection = new IdbConnection('x');
    await connection.open();
    const late = connection.answer(new Promise((resolve) => setTimeout(() => resolve('late'), 29_500)));
    await vi.advanceTimersByTimeAsync(29_500);
    expect(await late).toBe('late');
    expect(vi.getTimerCount()).toBe(0);
  });
});
