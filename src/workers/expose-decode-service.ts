/** A decode service at the end of a message port: answers are transferred, not copied. */
import { expose, transfer } from 'comlink';
import type { Endpoint } from 'comlink';
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
      return transfer(sealed, buffersOf(sealed));
    },
  };
  expose(exposed, endpoint);
}

/**
 * V8 compiles loops over typed arrays as if no buffer was ever transferred, and throws all of that code away when one
 * is for the first time. So the first time comes before anything is compiled, and not with the first answer.
 */
function detachOnce(): void {
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
}
