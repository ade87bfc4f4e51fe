import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilHolds } from '../../test/support/until.ts';
import { settingsOf, simulate } from '../../test/support/simulator/simulation.ts';
import type { ChunkAnswer, ChunkJob } from '../engine/analysis/chunk-mapper.ts';
import type { CompiledDecoders } from '../engine/analysis/compiled-decoders.ts';
import { ok, type Result } from '../engine/base/fault.ts';
import { Sealer, type SealJob, type TimedBytes } from '../engine/history/seal.ts';
import { schemeById } from '../engine/maps.ts';
import { openSource } from '../engine/io/open-source.ts';
import { openExperiment } from '../engine/trace/open-experiment.ts';
import type { DecodeSetup } from './decode-service.ts';
import { type DecodeWorker, Pool } from './pool.ts';

const SETUP: DecodeSetup = {
  experiment: { name: 'x', hosts: [], traces: [], faults: [] },
  analyses: ['counts'],
};

function jobOf(id: number): ChunkJob {
  const chunk = { id, host: 0, trace: 0, stream: 0, sequence: 0, extents: [], bytes: 0, from: 0, to: 0 };
  return { chunk };
}

/** Answers with the number of the worker as its number of events. */
function answerOf(worker: number): Result<ChunkAnswer> {
  return ok({ events: worker } as ChunkAnswer);
}

function segmentOf(index: number): SealJob {
  const columns = {
    attribute: Int32Array.of(0, 0),
    end: Float64Array.of(10, 30),
    value: Float64Array.of(1, 2),
    touched: Int32Array.of(0),
    scheme: Int8Array.of(0),
  };
  return { index, from: 0, to: 40, length: 2, ...columns, schemes: ['thread'], patches: [], outline: -1 };
}

const never = new Promise<never>(() => undefined);

class FakeWorkers {
  readonly setups: Partial<DecodeSetup>[] = [];
  readonly decoders: CompiledDecoders[] = [];
  terminated = 0;
  /** Answers at once by default. */
  ping: (worker: number) => Promise<void> = () => Promise.resolve();
  readonly #kills: ((error: Error) => void)[] = [];

  constructor(
    private readonly run = (worker: number, _: ChunkJob) => Promise.resolve(answerOf(worker)),
    private readonly seal = (_: number, __: SealJob): Promise<TimedBytes> => Promise.reject(new Error('bug')),
  ) {}

  get started(): number {
    return this.#kills.length;
  }

  kill(worker: number): void {
    this.#kills[worker](new Error('out of memory'));
  }

  start = (): DecodeWorker => {
    const worker = this.#kills.length;
    const death = new Promise<never>((_, reject) => this.#kills.push(reject));
    return {
      service: {
        init: (setup) => Promise.resolve(void this.setups.push(setup)),
        rest: () => Promise.resolve(),
        setDecoders: (decoders) => Promise.resolve(void this.decoders.push(decoders)),
        run: (job) => this.run(worker, job),
        seal: (job) => this.seal(worker, job),
        ping: () => this.ping(worker),
      },
      death,
      terminate: () => void this.terminated++,
    };
  };
}

async function eventsOf(answer: Promise<Result<ChunkAnswer>>): Promise<number> {
  const result = await answer;
  return result.ok ? result.value.events : -1;
}

describe('the pool', () => {
  it('sets every worker up once and spreads chunks over them', async () => {
    const workers = new FakeWorkers();
    const pool = new Pool(workers.start, 3, SETUP);
    const answers = [0, 1, 2, 3, 4, 5].map((id) => eventsOf(pool.run(jobOf(id))));
    expect(await Promise.all(answers)).toEqual([0, 1, 2, 0, 1, 2]);
    const setup = { ...SETUP, awaitsDecoders: true };
    expect(workers.setups).toEqual([setup, setup, setup]);
    // Chunks were read meanwhile.
    expect(workers.decoders).toEqual([]);
    await expect.poll(() => workers.decoders).toEqual([new Map(), new Map(), new Map()]);
    expect(pool.parallel).toBe(9);
    pool.dispose();
    expect(workers.terminated).toBe(3);
  });

  it('sends the experiment once to a worker that is lent again', async () => {
    const workers = new FakeWorkers();
    const sent = {};
    const lent = { ...workers.start(), sent };
    for (const experiment of [SETUP.experiment, SETUP.experiment, { ...SETUP.experiment, name: 'other' }]) {
      const pool = new Pool(() => lent, 1, { ...SETUP, experiment });
      expect(await eventsOf(pool.run(jobOf(0)))).toBe(0);
      pool.dispose();
    }
    expect(workers.setups.map(({ experiment }) => experiment?.name)).toEqual([
      SETUP.experiment.name,
      undefined,
      'other',
    ]);
  });

  it('has a stream read on by who had its last chunk, unless others have nothing else to do', async () => {
    const asked: string[] = [];
    const ends: (() => void)[] = [];
    const running: Promise<unknown>[] = [];
    const workers = new FakeWorkers(async (worker, { chunk: { stream }, goesOn }) => {
      asked.push(`${worker} ${stream} ${goesOn}`);
      await new Promise<void>((resolve) => ends.push(resolve));
      return answerOf(worker);
    });
    const { files } = simulate({ ...settingsOf(1), cpus: 2 });
    const refs = [...files].map(
      ([path, bytes]) => ({ kind: 'memory', path, size: bytes.length, bytes }) as const,
    );
    const experiment = await openExperiment(refs, openSource);
    const pool = new Pool(workers.start, 2, { ...SETUP, experiment });
    const run = (stream: number, goesOn: boolean) => {
      const { chunk } = jobOf(0);
      running.push(pool.run({ chunk: { ...chunk, stream }, goesOn }));
    };
    for (const stream of [0, 1, 1, 0, 0]) run(stream, true);
    run(0, false);
    await expect
      .poll(() => asked.sort())
      .toEqual(['0 0 false', '0 0 true', '0 0 true', '0 0 true', '1 1 true', '1 1 true']);
    // Four against two: the other one takes over, and goes on.
    run(0, true);
    run(0, true);
    await expect.poll(() => asked.filter((one) => one.startsWith('1 0 true')).length).toBe(2);
    ends.forEach((end) => end());
    await Promise.all(running);
    pool.dispose();
  });

  it('has nobody read on where several read a stream', async () => {
    const asked: unknown[] = [];
    const workers = new FakeWorkers((worker, { goesOn }) => {
      asked.push(goesOn);
      return Promise.resolve(answerOf(worker));
    });
    const pool = new Pool(workers.start, 2, SETUP);
    await pool.run({ ...jobOf(0), goesOn: true });
    expect(asked).toEqual([false]);
    pool.dispose();
  });

  it('starts another worker in the place of one that dies, and one for each chunk that it had', async () => {
    const workers = new FakeWorkers((worker) => (worker === 0 ? never : Promise.resolve(answerOf(worker))));
    const pool = new Pool(workers.start, 1, SETUP);
    const chunks = [0, 1].map((id) => eventsOf(pool.run(jobOf(id))));
    workers.kill(0);
    expect(await Promise.all(chunks)).toEqual([2, 3]);
    expect(workers.terminated).toBe(3);
    expect(await eventsOf(pool.run(jobOf(2)))).toBe(1);
    // The first died before it was told of anything.
    expect(workers.setups.length).toBe(3);
    pool.dispose();
    expect(workers.terminated).toBe(4);
  });

  it('replaces a worker that throws', async () => {
    const workers = new FakeWorkers((worker) =>
      worker === 0 ? Promise.reject(new Error('bug')) : Promise.resolve(answerOf(worker)),
    );
    const pool = new Pool(workers.start, 1, SETUP);
    expect(await eventsOf(pool.run(jobOf(0)))).toBe(2);
    expect(await eventsOf(pool.run(jobOf(0)))).toBe(1);
    expect(workers.terminated).toBe(2);
  });

  it.each([1, 2, 4])('of %i workers loses none but the chunk at which they throw or die', async (size) => {
    for (const fault of ['throws', 'dies']) {
      const workers: FakeWorkers = new FakeWorkers(async (worker, { chunk }) => {
        for (let turn = 0; turn <= chunk.id; turn++) await new Promise((resolve) => setTimeout(resolve));
        if (chunk.id > 0) return answerOf(worker);
        if (fault === 'dies') workers.kill(worker);
        throw new Error('out of memory');
      });
      const pool = new Pool(workers.start, size, SETUP);
      const [bad, ...others] = Array.from({ length: pool.parallel }, (_, id) => pool.run(jobOf(id)));
      await expect(bad, fault).rejects.toThrow('out of memory');
      expect(await Promise.all(others.map(eventsOf)), fault).not.toContain(-1);
      pool.dispose();
    }
  });

  it('tries no chunk again when it is disposed', async () => {
    const workers = new FakeWorkers(() => never);
    const pool = new Pool(workers.start, 1, SETUP);
    const chunks = [0, 1].map((id) => pool.run(jobOf(id)));
    workers.kill(0);
    await untilHolds(() => expect(workers.setups.length).toBe(2));
    pool.dispose();
    await expect(chunks[0]).rejects.toThrow('the decode worker was ended');
    await expect(chunks[1]).rejects.toThrow('the pool is disposed');
    expect(workers.terminated).toBe(3);
  });

  it('fails the chunks it has when it is disposed, and takes no others', async () => {
    const workers = new FakeWorkers(() => never);
    const pool = new Pool(workers.start, 2, SETUP);
    const chunks = [0, 1, 2].map((id) => pool.run(jobOf(id)));
    pool.dispose();
    for (const chunk of chunks) await expect(chunk).rejects.toThrow('the decode worker was ended');
    await expect(pool.run(jobOf(3))).rejects.toThrow('the pool is disposed');
    expect(workers.terminated).toBe(2);
  });

  it('says no more to workers when it is disposed: they may be another one’s', async () => {
    const workers = new FakeWorkers();
    const pool = new Pool(workers.start, 2, SETUP);
    const chunk = pool.run(jobOf(0));
    pool.dispose();
    await expect(chunk).rejects.toThrow('the decode worker was ended');
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));
    expect(workers.setups).toEqual([]);
    expect(workers.decoders).toEqual([]);
  });

  it('keeps no answer that it gave', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const workers = new FakeWorkers();
    const pool = new Pool(workers.start, 1, SETUP);
    const answers: WeakRef<object>[] = [];
    for (let id = 0; id < 5; id++) answers.push(new WeakRef(await pool.run(jobOf(id))));
    await expect
      .poll(() => {
        collectGarbage();
        return answers.filter((answer) => answer.deref() !== undefined).length;
      })
      .toBe(0);
    pool.dispose();
  });
});

describe('a worker that answers nothing', () => {
  const patience = { lookMs: 1000, silentMs: 5000, msPerByte: 1 };
  const jobOfBytes = (bytes: number): ChunkJob => ({ chunk: { ...jobOf(0).chunk, bytes } });
  const MESSAGE = 'the decode worker did not answer for';

  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** Worker `silent` ends without a word when it gets a chunk. */
  const silentWorkers = (isSilent: (worker: number) => boolean) => {
    const workers: FakeWorkers = new FakeWorkers((worker) =>
      isSilent(worker) ? never : Promise.resolve(answerOf(worker)),
    );
    workers.ping = (worker) => (isSilent(worker) ? never : Promise.resolve());
    return workers;
  };

  it('is replaced, and its chunks are tried again', async () => {
    const workers = silentWorkers((worker) => worker === 0);
    const pool = new Pool(workers.start, 1, SETUP, patience);
    const chunks = [0, 1].map((id) => eventsOf(pool.run(jobOf(id))));
    await vi.advanceTimersByTimeAsync(5999);
    expect(workers.terminated).toBe(0);
    await vi.advanceTimersByTimeAsync(2);
    expect(await Promise.all(chunks)).toEqual([2, 3]);
    expect(workers.terminated).toBe(3);
    pool.dispose();
  });

  it('may take longer for many bytes', async () => {
    const workers = silentWorkers((worker) => worker === 0);
    const pool = new Pool(workers.start, 1, SETUP, patience);
    const chunk = eventsOf(pool.run(jobOfBytes(3000)));
    await vi.advanceTimersByTimeAsync(8999);
    expect(workers.terminated).toBe(0);
    await vi.advanceTimersByTimeAsync(2);
    expect(await chunk).toBe(2);
    pool.dispose();
  });

  it('costs its chunk when the second worker is silent as well, and nothing waits for ever', async () => {
    const workers = silentWorkers(() => true);
    const pool = new Pool(workers.start, 1, SETUP, patience);
    const failed = expect(pool.run(jobOf(0))).rejects.toThrow(`${MESSAGE} 5 s`);
    await vi.advanceTimersByTimeAsync(12_001);
    await failed;
    pool.dispose();
  });

  it('is another matter than one that waits for its file', async () => {
    let finish: (answer: Result<ChunkAnswer>) => void = () => undefined;
    const workers = new FakeWorkers(() => new Promise((resolve) => (finish = resolve)));
    const pool = new Pool(workers.start, 1, SETUP, patience);
    const chunk = eventsOf(pool.run(jobOf(0)));
    await vi.advanceTimersByTimeAsync(600_000);
    finish(answerOf(7));
    expect(await chunk).toBe(7);
    expect(workers.terminated).toBe(0);
    pool.dispose();
  });

  it('and has nothing to do is left alone', async () => {
    const workers = silentWorkers((worker) => worker === 0);
    workers.ping = () => never;
    const pool = new Pool(workers.start, 2, SETUP, patience);
    const first = pool.run(jobOf(0));
    const second = eventsOf(pool.run(jobOf(1)));
    await vi.advanceTimersByTimeAsync(1);
    expect(await second).toBe(1);
    pool.dispose();
    await expect(first).rejects.toThrow('the decode worker was ended');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('costs no segment', async () => {
    const workers = new FakeWorkers(
      () => never,
      () => never,
    );
    workers.ping = () => never;
    const pool = new Pool(workers.start, 1, SETUP, patience);
    const sealed = pool.seal(segmentOf(7));
    await vi.advanceTimersByTimeAsync(14_001);
    expect(await sealed).toMatchObject(new Sealer(schemeById).seal(segmentOf(7)));
    pool.dispose();
  });
});

describe('workers that cannot be started', () => {
  /** Their script cannot be loaded: nothing is answered, and they die. */
  const unloadable = (isMissing: (worker: number) => boolean) => {
    const workers: FakeWorkers = new FakeWorkers();
    const start = (): DecodeWorker => {
      const worker = workers.start();
      const number = workers.started - 1;
      if (!isMissing(number)) return worker;
      const never = () => new Promise<never>(() => undefined);
      workers.kill(number);
      return {
        ...worker,
        service: { init: never, rest: never, setDecoders: never, run: never, seal: never, ping: never },
      };
    };
    return { workers, start };
  };

  it('are told as that, and not as a fault of the chunk', async () => {
    const { start, workers } = unloadable(() => true);
    const pool = new Pool(start, 2, SETUP);
    const result = await pool.run(jobOf(0));
    expect(result).toMatchObject({
      ok: false,
      fault: { code: 'workers-unavailable', found: 'out of memory' },
    });
    pool.dispose();
    expect(workers.terminated).toBe(workers.started);
  });

  it('matter to nobody when those that follow can', async () => {
    const { start } = unloadable((worker) => worker < 2);
    const pool = new Pool(start, 2, SETUP);
    expect(await Promise.all([0, 1, 2, 3].map((id) => eventsOf(pool.run(jobOf(id)))))).not.toContain(-1);
    pool.dispose();
  });
});

describe('chunk results that are used up', () => {
  const length = 1000;
  const chunkResultOf = (bytes: number) => {
    const memory = new Uint8Array(bytes);
    return { length, time: new Float64Array(memory.buffer, 0, length), memory, other: new Float64Array(9) };
  };

  it('are memory for those of the next chunks, four for each worker, as long as there are any', async () => {
    const spares: (number | undefined)[] = [];
    const workers = new FakeWorkers((_, { spare }) => {
      spares.push(spare?.byteLength);
      return Promise.resolve(answerOf(0));
    });
    const pool = new Pool(workers.start, 1, SETUP);
    const [used, ...burst] = [8192, 9000, 9001, 9002, 9003, 9004].map(chunkResultOf);
    const last = chunkResultOf(9005);
    pool.reuse(used);
    expect(used.memory.length).toBe(8192);
    expect(used.other.length).toBe(0);
    await pool.run(jobOf(0));
    await pool.run(jobOf(1));
    expect(spares).toEqual([8192, undefined]);
    for (const chunkResult of burst) pool.reuse(chunkResult);
    expect(burst.map(({ memory }) => memory.length)).toEqual([9000, 9001, 9002, 9003, 0]);
    pool.drained();
    expect(burst.every(({ memory }) => memory.length === 0)).toBe(true);
    pool.reuse(last);
    expect(last.memory.length).toBe(0);
  });
});

it('when no chunk comes any more workers end that have nothing to do, all but one', async () => {
  const answers: (() => void)[] = [];
  const workers = new FakeWorkers(async (worker) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return answerOf(worker);
  });
  const pool = new Pool(workers.start, 3, SETUP);
  const running = [0, 1].map((id) => eventsOf(pool.run(jobOf(id))));
  pool.drained();
  expect(workers.terminated).toBe(1);
  await expect.poll(() => answers.length).toBe(2);
  answers[0]();
  expect(await running[0]).toBe(0);
  expect(workers.terminated).toBe(2);
  answers[1]();
  expect(await running[1]).toBe(1);
  expect(workers.terminated).toBe(2);
  pool.dispose();
  expect(workers.terminated).toBe(3);
});

describe('segments', () => {
  const noChunks = () => Promise.reject(new Error('no chunks'));
  const bytes = new Uint8Array(0);
  const sealedBy = (worker: number, { index }: SealJob): Promise<TimedBytes> =>
    Promise.resolve({ index, directory: bytes, blocks: bytes, outline: bytes, ms: worker });

  it('are sealed by the least busy worker', async () => {
    const pool = new Pool(new FakeWorkers(noChunks, sealedBy).start, 2, SETUP);
    const sealed = await Promise.all([0, 1].map((index) => pool.seal(segmentOf(index))));
    expect(sealed.map(({ index, ms }) => [index, ms])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('are handed over one to a worker, the next ones in turn', async () => {
    const handed: number[] = [];
    const finish: (() => void)[] = [];
    const workers = new FakeWorkers(noChunks, async (worker, job) => {
      handed.push(job.index);
      await new Promise<void>((done) => finish.push(done));
      return sealedBy(worker, job);
    });
    const pool = new Pool(workers.start, 2, SETUP);
    const sealed = [0, 1, 2, 3].map((index) => pool.seal(segmentOf(index)));
    await untilHolds(() => expect(handed).toEqual([0, 1]));
    finish[1]();
    expect((await sealed[1]).index).toBe(1);
    await untilHolds(() => expect(handed).toEqual([0, 1, 2]));
    finish[0]();
    finish[2]();
    await untilHolds(() => expect(handed).toEqual([0, 1, 2, 3]));
    finish[3]();
    expect((await Promise.all(sealed)).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });

  it('are sealed by another worker when one dies', async () => {
    const workers = new FakeWorkers(noChunks, (worker, job) =>
      worker === 0 ? never : sealedBy(worker, job),
    );
    const pool = new Pool(workers.start, 1, SETUP);
    const sealed = pool.seal(segmentOf(5));
    workers.kill(0);
    expect(await sealed).toMatchObject({ index: 5, ms: 1 });
  });

  it('are sealed here when there is no memory for a copy, and no worker ends', async () => {
    const workers = new FakeWorkers(undefined, sealedBy);
    const pool = new Pool(workers.start, 1, SETUP);
    const touched = Int32Array.of(0);
    touched.slice = () => {
      throw new RangeError('Array buffer allocation failed');
    };
    const [chunk, sealed] = [pool.run(jobOf(0)), pool.seal({ ...segmentOf(7), touched })];
    expect(await sealed).toMatchObject(new Sealer(schemeById).seal(segmentOf(7)));
    expect(await eventsOf(chunk)).toBe(0);
    expect(workers.terminated).toBe(0);
  });

  it('travel in the memory of those before, which workers give back', async () => {
    const given: SealJob[] = [];
    const workers = new FakeWorkers(noChunks, async (worker, job) => {
      given.push({
        ...job,
        attribute: job.attribute.slice(),
        end: job.end.slice(),
        value: job.value.slice(),
      });
      const { attribute, end, value } = job;
      buffers.push(attribute.buffer);
      return { ...(await sealedBy(worker, job)), spent: { attribute, end, value } };
    });
    const buffers: ArrayBufferLike[] = [];
    const pool = new Pool(workers.start, 1, SETUP);
    const long = segmentOf(1);
    const short = { ...segmentOf(2), length: 1, attribute: Int32Array.of(7), end: Float64Array.of(9) };
    await pool.seal(long);
    expect(await pool.seal({ ...short, value: Float64Array.of(5) })).not.toHaveProperty('spent');
    expect(buffers[1]).toBe(buffers[0]);
    const tiles = given.map(({ length, attribute, end, value }) =>
      [attribute, end, value].map((column) => [...column.subarray(0, length)]),
    );
    expect(tiles).toEqual([
      [
        [0, 0],
        [10, 30],
        [1, 2],
      ],
      [[7], [9], [5]],
    ]);
    expect(long.end).toEqual(Float64Array.of(10, 30));
    const longer = { ...long, length: 3, attribute: Int32Array.of(1, 2, 3), end: new Float64Array(3) };
    await pool.seal({ ...longer, value: Float64Array.of(4, 5, 6) });
    expect(buffers[2]).not.toBe(buffers[0]);
    expect([...given[2].value]).toEqual([4, 5, 6]);
  });

  it('are sealed here, without a copy, when they are very large', async () => {
    const length = 2 ** 19 + 1;
    const job = {
      ...segmentOf(7),
      to: length + 1,
      length,
      attribute: new Int32Array(length),
      end: Float64Array.from({ length }, (_, i) => i + 1),
      value: Float64Array.from({ length }, (_, i) => i % 3),
    };
    const pool = new Pool(new FakeWorkers(noChunks, sealedBy).start, 1, SETUP);
    const { blocks } = await pool.seal(job);
    expect(Buffer.compare(blocks, new Sealer(schemeById).seal(job).blocks)).toBe(0);
    expect(blocks.length).toBeGreaterThan(0);
  });

  it('are sealed here when every worker fails, and when there are none any more', async () => {
    const expected = new Sealer(schemeById).seal(segmentOf(7));
    const pool = new Pool(new FakeWorkers(noChunks).start, 2, SETUP);
    expect(await pool.seal(segmentOf(7))).toMatchObject(expected);
    pool.dispose();
    expect(await pool.seal(segmentOf(7))).toMatchObject(expected);
  });
});
