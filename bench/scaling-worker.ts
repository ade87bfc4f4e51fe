/** A decode worker of the scaling bench: as `inspect`'s, but for files in memory, and it tells what it cost. */
import { expose } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { parentPort } from 'node:worker_threads';
import { openSource } from '../src/engine/io/open-source.ts';
import type { ChunkJob } from '../src/engine/analysis/chunk-mapper.ts';
import { createDecodeService, type DecodeService, transferring } from '../src/workers/decode-service.ts';
import { threadMs } from './thread-time.ts';

export interface TimedService extends DecodeService {
  /** ms of CPU that this thread has used. */
  threadMs(): Promise<number>;
  /** @param chunks of memory that threads share: its number goes up by one, and who waits is told, with each chunk that is mapped */
  countIn(chunks: Int32Array): Promise<void>;
}

const service = transferring(createDecodeService(openSource));
let counted: Int32Array | undefined;

const exposed: TimedService = {
  ...service,
  async run(job: ChunkJob) {
    const answer = await service.run(job);
    if (counted !== undefined) {
      Atomics.add(counted, 0, 1);
      Atomics.notify(counted, 0);
    }
    return answer;
  },
  threadMs: () => Promise.resolve(threadMs()),
  countIn(chunks) {
    counted = chunks;
    return Promise.resolve();
  },
};
if (parentPort !== null) expose(exposed, nodeEndpoint(parentPort));
