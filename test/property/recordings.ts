/** Ways to record one trace, on which no answer depends. */
import fc from 'fast-check';

export const recordings = fc.record({
  perPacket: fc.constantFrom(undefined, 1, 7, 100),
  folders: fc.constantFrom(1, 2, 5),
  overlap: fc.boolean(),
});
