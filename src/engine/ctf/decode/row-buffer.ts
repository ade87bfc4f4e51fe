/**
 * Growing columns of rows. New ones are made for each chunk, since they are handed over (and transferred); their
 * first size is what the chunks before needed for each byte, so that they seldom grow.
 */
import type { Machine } from './interpreter.ts';
import type { Rows } from './rows.ts';

export interface RowBuffer {
  /** Number of rows. The packet loop keeps its own copy and writes it back after each packet. */
  length: number;
  time: Float64Array;
  meaning: Uint16Array;
  eventClass: Uint16Array;
  at: Uint32Array;
  /** Makes room for more rows: the columns are new ones afterwards. */
  grow(): void;
}

export interface RowBuffers {
  /** Columns for a chunk; also gives the machine its words. */
  start(bytes: number): RowBuffer;
  finish(buffer: RowBuffer, bytes: Uint8Array): Rows;
}

const SLACK = 1.1;
const FEWEST = 1024;
/** First sizes stop here: what dense chunks needed need not hold for large ones. */
const MOST_ROWS = 2 ** 21;
const MOST_WORDS = 2 ** 24;

function expect(size: number, most: number): number {
  return Math.min(Math.ceil(size * SLACK) + FEWEST, most);
}

export function createRowBuffers(machine: Machine): RowBuffers {
  let rowsPerByte = 0;
  let wordsPerByte = 0;
  return {
    start(bytes) {
      const capacity = expect(bytes * rowsPerByte, MOST_ROWS);
      machine.words = new Int32Array(expect(bytes * wordsPerByte, MOST_WORDS));
      machine.out = 0;
      return createBuffer(capacity);
    },
    finish(buffer, bytes) {
      rowsPerByte = Math.max(rowsPerByte, buffer.length / Math.max(bytes.length, 1));
      wordsPerByte = Math.max(wordsPerByte, machine.out / Math.max(bytes.length, 1));
      const { length } = buffer;
      return {
        length,
        time: buffer.time.subarray(0, length),
        meaning: buffer.meaning.subarray(0, length),
        eventClass: buffer.eventClass.subarray(0, length),
        at: buffer.at.subarray(0, length),
        words: machine.words.subarray(0, machine.out),
        bytes,
      };
    },
  };
}

function createBuffer(capacity: number): RowBuffer {
  const buffer: RowBuffer = {
    length: 0,
    time: new Float64Array(capacity),
    meaning: new Uint16Array(capacity),
    eventClass: new Uint16Array(capacity),
    at: new Uint32Array(capacity),
    grow() {
      const next = 2 * buffer.time.length;
      const { time, meaning, eventClass, at } = buffer;
      buffer.time = new Float64Array(next);
      buffer.meaning = new Uint16Array(next);
      buffer.eventClass = new Uint16Array(next);
      buffer.at = new Uint32Array(next);
      buffer.time.set(time);
      buffer.meaning.set(meaning);
      buffer.eventClass.set(eventClass);
      buffer.at.set(at);
    },
  };
  return buffer;
}
