/** A decode service at the end of a message port: answers are transferred, not copied. */
import { expose, transfer, type Endpoint } from 'comlink';
import { buffersOf, detachOnce, freeBuffers } from '../engine/base/buffers.ts';
import type { DecodeService } from './decode-service.ts';

export function exposeDecodeService(service: DecodeService, endpoint?: Endpoint): void {
  expose(transferring(service), endpoint);
}

/** Wraps a service so that its answers are transferred, for a thread that does nothing else. @internal */
export function transferring(service: DecodeService): DecodeService {
  detachOnce();
  return {
    init: (setup) => service.init(setup),
    rest: () => service.rest(),
    setDecoders: (decoders) => service.setDecoders(decoders),
    ping: () => service.ping(),
    async run(job) {
      const answer = await service.run(job);
      return transfer(answer, buffersOf(answer));
    },
    async seal(job) {
      const sealed = await service.seal(job);
      // The job came as a copy, whose memory serves the next one.
      const { attribute, end, value, touched, scheme } = job;
      freeBuffers({ touched, scheme });
      const answer = { ...sealed, spent: { attribute, end, value } };
      return transfer(answer, buffersOf(answer));
    },
  };
}
