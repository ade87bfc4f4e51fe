/** Faults in words for a card: what happened, what it means for the reader, what to do about it. */
import type { Fault, FaultCode, Place } from '../../engine/base/fault.ts';
import { formatCount } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';

interface Words {
  readonly title: string;
  /** What it does to the results. */
  readonly effect?: string;
  readonly advice?: string;
}

const SKIPPED = 'The rest of this packet is unknown; everything else is readable.';
const NOTHING = 'Nothing was opened.';

const WORDS: Record<FaultCode, Words> = {
  'not-a-trace': {
    title: 'This is not a trace that Wakepath reads',
    effect: NOTHING,
    advice: 'Drop the folder that holds the file “metadata” and the stream files, or any folder above it.',
  },
  'empty-folder': {
    title: 'There is nothing in this folder',
    effect: NOTHING,
    advice: 'Drop the folder that “lttng create” named, with its files.',
  },
  'metadata-missing': {
    title: 'There are stream files, but no metadata',
    effect: 'Without the file “metadata” beside them their bytes cannot be understood.',
    advice:
      'Drop the folder that holds both. If it was lost, record again: nothing else describes the layout.',
  },
  'file-unreadable': {
    title: 'A file could not be read',
    effect: 'What had been read until then is shown.',
    advice: 'It was moved, changed or removed after it was chosen. Drop the folder again.',
  },
  'duplicate-trace': {
    title: 'The same trace is there twice',
    effect: 'It is shown once.',
    advice: 'Remove one of the copies to get rid of this message.',
  },
  unsupported: { title: 'This trace uses something that Wakepath does not read yet', effect: NOTHING },
  'metadata-empty': {
    title: 'The metadata is empty',
    effect: NOTHING,
    advice:
      'The recording was stopped before it was written. Run “lttng stop” and “lttng destroy” before copying.',
  },
  'metadata-packet': {
    title: 'A packet of the metadata is damaged',
    effect: 'What stands before it was read.',
  },
  'metadata-truncated': {
    title: 'The metadata ends too early',
    effect: 'What stands before the end was read.',
  },
  'metadata-version': { title: 'The metadata is of a version that Wakepath does not read', effect: NOTHING },
  'metadata-syntax': {
    title: 'The metadata has a syntax error',
    effect: 'The trace cannot be read without it.',
  },
  'metadata-semantic': {
    title: 'The metadata contradicts itself',
    effect: 'The trace cannot be read without it.',
  },
  'metadata-unknown-attribute': {
    title: 'The metadata has an attribute that Wakepath does not know',
    effect: 'It was passed over.',
  },
  'bad-magic': {
    title: 'A packet does not begin as packets do',
    effect: 'This stream is unknown from there on.',
  },
  'bad-uuid': {
    title: 'A packet belongs to another trace',
    effect: 'It was skipped.',
    advice: 'Files of two recordings seem to have been mixed in one folder.',
  },
  'packet-size': {
    title: 'A packet has an impossible size',
    effect: 'This stream is unknown from there on.',
  },
  truncated: { title: 'A stream ends too early', effect: 'Everything up to its end is readable.' },
  'unknown-stream-id': {
    title: 'A packet is of a stream that the metadata does not describe',
    effect: 'It was skipped.',
  },
  'index-disagrees': {
    title: 'An index file does not agree with its stream',
    effect: 'The index was not used.',
  },
  'unknown-event-id': {
    title: 'An event is of a class that the metadata does not describe',
    effect: SKIPPED,
  },
  'event-beyond-packet': { title: 'An event runs over the end of its packet', effect: SKIPPED },
  'array-too-long': { title: 'An array is longer than its packet', effect: SKIPPED },
  'unterminated-string': { title: 'A string does not end within its packet', effect: SKIPPED },
  'no-variant-option': { title: 'A field has a tag without an option', effect: SKIPPED },
  'no-progress': { title: 'A packet does not get any further', effect: SKIPPED },
  'time-backwards': {
    title: 'The time of a stream goes back',
    effect: 'Its events keep their own order; states there are drawn at the latest time so far.',
  },
  'events-discarded': {
    title: 'The tracer discarded events',
    effect: 'What threads did meanwhile is unknown and shown as unknown.',
    advice:
      'Record with larger or more sub-buffers: lttng enable-channel -k --subbuf-size=4M --num-subbuf=16',
  },
  'packets-discarded': {
    title: 'Packets of a stream were overwritten or lost',
    effect: 'What threads did meanwhile is unknown and shown as unknown.',
  },
  'worker-failed': {
    title: 'A part of the trace could not be read',
    effect: 'It is unknown; the rest is readable.',
  },
  'store-unavailable': {
    title: 'This browser keeps nothing for the page',
    effect: 'Traces open and work, but are read again the next time.',
    advice: 'That is usual in private windows.',
  },
  'store-full': {
    title: 'There is no room to keep this trace',
    effect: 'It works now, but will be read again the next time.',
    advice: 'Delete recent traces on the start page.',
  },
  'store-damaged': {
    title: 'A part of the kept trace is damaged',
    effect: 'What it held is missing from the picture.',
    advice: 'Open the trace from its files again.',
  },
  'over-limit': {
    title: 'Something in the trace is larger than Wakepath accepts',
    effect: 'It was not read.',
  },
  cancelled: { title: 'Reading was stopped', effect: 'What had been read until then is shown.' },
};

/** Faults that cost nothing but a word. */
const MILD: ReadonlySet<FaultCode> = new Set([
  'duplicate-trace',
  'metadata-unknown-attribute',
  'index-disagrees',
  'time-backwards',
  'events-discarded',
  'packets-discarded',
  'store-unavailable',
  'store-full',
  'store-damaged',
  'cancelled',
]);

export function faultWords(fault: Fault): Words {
  return WORDS[fault.code];
}

export function isMild(fault: Fault): boolean {
  return MILD.has(fault.code);
}

/** "kernel_1, packet 17, byte 2 228 224, field content_size". */
export function placeText(place: Place): string {
  return [
    place.file === undefined ? '' : visibleText(place.file),
    place.line === undefined
      ? ''
      : `line ${place.line}${place.column === undefined ? '' : `, column ${place.column}`}`,
    place.packet === undefined ? '' : `packet ${formatCount(place.packet)}`,
    place.event === undefined ? '' : `event ${visibleText(place.event)}`,
    place.field === undefined ? '' : `field ${visibleText(place.field)}`,
    place.byte === undefined ? '' : `byte ${formatCount(place.byte)}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
