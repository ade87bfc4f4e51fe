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
