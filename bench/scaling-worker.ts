/** A decode worker of the scaling bench: as `inspect`'s, but for files in memory, and it tells what it cost. */
import { expose, transfer } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { parentPort } from 'node:worker_threads';
import { openSource } from '../src/engine/io/open-source.ts';
import { createDecodeService, type DecodeService } from '../src/workers/decode-service.ts';
import { buffersOf } from '../src/workers/transferables.ts';
import { threadMs } from './thread-time.ts';

export interface TimedService extends DecodeService {
  /** ms of CPU that this thread has used. */
  threadMs(): Promise<number>;
}

const service = createDecodeService(openSource);
const exposed: TimedService = {
  init: (setup) => service.init(setup),
  async run(job) {
    const answer = await service.run(job);
    return transfer(answer, buffersOf(answer));
  },
  async seal(job) {
    const sealed = await service.seal(job);
    return transfer(sealed, buffersOf(sealed));
  },
  threadMs: () => Promise.resolve(threadMs()),
};
if (parentPort !== null) expose(exposed, nodeEndpoint(parentPort));
