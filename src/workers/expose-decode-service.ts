/** A decode service at the end of a message port: answers are transferred, not copied. */
import { expose, transfer } from 'comlink';
import type { Endpoint } from 'comlink';
import { detachOnce, freeBuffers } from '../engine/base/free-buffers.ts';
import type { DecodeService } from './decode-service.ts';
import { buffersOf } from './transferables.ts';

export function exposeDecodeService(service: DecodeService, endpoint?: Endpoint): void {
  detachOnce();
  const exposed: DecodeService = {
    init: (setup) => service.init(setup),
    async run(job) {
      const answer = await service.run(job);
      return transfer(answer, buffersOf(answer));
    },
    async seal(job) {
      const sealed = await service.seal(job);
      // The job came as a copy.
      freeBuffers(job);
      return transfer(sealed, buffersOf(sealed));
    },
  };
  expose(exposed, endpoint);
}
