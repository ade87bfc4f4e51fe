/** Rows of call stacks in the layer's history: below each thread the innermost function. */
import { stableOrder } from '../../base/stable-order.ts';
import type { HistorySink } from '../../history/types.ts';
import { SPAN_COLOURS, spanValue } from '../contract/span-values.ts';
import { NOT_RECORDED_FRAME } from './profile.ts';
import { moduleText, type StackTables } from './stack-tables.ts';

export interface StackRow {
  /** Row of `StackTables.threads`. */
  readonly thread: number;
  readonly attribute: number;
  /** HostNs of its first stack. */
  readonly first: number;
}

/** @param path first segment of the paths of its attributes */
export function writeStackRows(
  tables: Omit<StackTables, 'rows'>,
  sink: HistorySink,
  path: string,
): StackRow[] {
  const { threads, tree, frames } = tables;
  const texts = Array.from({ length: frames.length }, (_, frame) => moduleText(tables, frame));
  const colours = coloursOf(texts);
  const rows: StackRow[] = [];
  threads.forEach(({ times }, thread) => {
    if (times.length === 0) return;
    const attribute = sink.attribute([path, String(thread)], 'state');
    rows.push({ thread, attribute, first: times[0] });
  });
  const { time, row, change } = changesOf(tables, rows);
  /** Texts in the history by frame: -1 not yet. */
  const strings = new Int32Array(frames.length).fill(-1);
  const tones = new Uint8Array(rows.length);
  for (const at of stableOrder(time)) {
    const { thread, attribute } = rows[row[at]];
    const { stacks, inside } = threads[thread];
    const stack = inside[change[at]] === 0 ? stacks[change[at]] : inside[change[at]];
    sink.moveTo(time[at]);
    if (stack === 0 || texts[tree.frame[stack]] === NOT_RECORDED_FRAME) {
      sink.end(attribute);
      continue;
    }
    const frame = tree.frame[stack];
    tones[row[at]] = 1 - tones[row[at]];
    if (strings[frame] < 0) strings[frame] = sink.string(texts[frame]);
    sink.set(attribute, spanValue(colours[frame], tones[row[at]], strings[frame]));
  }
  return rows;
}

/** Changes of all rows, one row after the other. */
function changesOf({ threads }: Pick<StackTables, 'threads'>, rows: readonly StackRow[]) {
  const length = rows.reduce((sum, { thread }) => sum + threads[thread].times.length, 0);
  const time = new Float64Array(length);
  const row = new Int32Array(length);
  const change = new Int32Array(length);
  let at = 0;
  rows.forEach(({ thread }, index) => {
    const { times } = threads[thread];
    time.set(times, at);
    row.fill(index, at, at + times.length);
    for (let i = 0; i < times.length; i++) change[at + i] = i;
    at += times.length;
  });
  return { time, row, change };
}

/** Equal texts have equal colours: in order of their first frame. */
function coloursOf(texts: readonly string[]): Uint8Array {
  const numbers = new Map<string, number>();
  return Uint8Array.from(texts, (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number % SPAN_COLOURS;
  });
}
