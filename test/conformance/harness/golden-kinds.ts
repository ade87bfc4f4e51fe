/** What golden results call a kind of fault, and the codes that we give it (test/conformance/README.md has the same table). */
import type { FaultCode } from '../../../src/engine/base/fault.ts';

export const CODES_OF_KINDS: ReadonlyMap<string, readonly FaultCode[]> = new Map<
  string,
  readonly FaultCode[]
>([
  ['metadata-empty', ['metadata-empty']],
  ['metadata-syntax', ['metadata-syntax']],
  ['metadata-integer-range', ['metadata-syntax']],
  ['metadata-version', ['metadata-version']],
  ['metadata-packet-version', ['metadata-version']],
  ['metadata-length-field', ['metadata-semantic']],
  ['metadata-variant-tag', ['metadata-semantic']],
  ['metadata-truncated', ['metadata-truncated']],
  ['metadata-unknown-property', ['metadata-semantic']],
  ['metadata-duplicate-clock', ['metadata-semantic']],
  ['metadata-no-stream-class', ['metadata-semantic']],
  ['ctf2-draft', ['metadata-version']],
  ['unknown-event-id', ['unknown-event-id']],
  ['unknown-stream-id', ['unknown-stream-id']],
  ['truncated', ['truncated']],
  ['truncated-header', ['truncated']],
  // A packet that is larger than its file has a wrong size, or its file was cut.
  ['packet-size', ['packet-size', 'truncated']],
  ['bad-magic', ['bad-magic']],
  ['bad-uuid', ['bad-uuid']],
  ['index-lies', ['index-disagrees']],
  ['empty-event-record', ['no-progress']],
]);
