/** Entry of Node's decode worker. */
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { parentPort } from 'node:worker_threads';
import { assert } from '../engine/base/assert.ts';
import { openNodeSource } from '../engine/io/node-source.ts';
import { createDecodeService, exposeDecodeService } from '../workers/decode-service.ts';

assert(parentPort !== null, 'this file is a worker');
exposeDecodeService(createDecodeService(openNodeSource), nodeEndpoint(parentPort));
