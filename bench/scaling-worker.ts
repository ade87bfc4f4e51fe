/** A decode worker of the scaling bench: as `inspect`'s, but for files in memory, and it tells what it cost. */
import { expose } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { parentPort } from 'node:worker_threads';
import { openSource } from '../src/engine/io/open-source.ts';
import { createDecodeService, type DecodeService } from '../src/workers/decode-service.ts';
import { transferring } from '../src/workers/expose-decode-service.ts';
import { threadMs } from './thread-time.ts';

export interface TimedService extends DecodeService {
  /** ms of CPU that this thread has used. */
  threadMs(): Promise<number>;
}

const exposed: TimedService = {
  ...transferring(createDecodeService(openSource)),
  threadMs: () => Promise.resolve(threadMs()),
};
if (parentPort !== null) expose(exposed, nodeEndpoint(parentPort));
