/**
 * Profiles in pprof's format: call stacks with time and samples. Numbers are those of fields in its published schema
 * (`proto/profile.proto` in its sources).
 */
import { gzipSync } from 'fflate';
import { PbfWriter } from 'pbf';
import { TextList } from '../base/text-list.ts';
import { visibleCharacters } from '../base/visible-text.ts';
import { writeBigVarintField } from './big-varint.ts';

/**
 * Call stacks as a tree: a node adds a frame to the stack of its parent, which precedes it. Node 0 is the empty stack.
 */
export interface StackTree {
  readonly frames: readonly string[];
  readonly parent: ArrayLike<number>;
  readonly frame: ArrayLike<number>;
  /** Time in exactly this stack. */
  readonly ns: ArrayLike<number>;
  readonly samples: ArrayLike<number>;
}

/**
 * @param beginNs ns since 1970 of the profile's begin
 * @param lengthNs length of the profile
 * @param fileOf source place of a frame's function, where known
 */
export function pprofFile(
  tree: StackTree,
  beginNs: bigint,
  lengthNs: number,
  fileOf: (frame: number) => string | undefined,
): Uint8Array<ArrayBuffer> {
  const out = new PbfWriter();
  // The first text is ''.
  const texts = new TextList(['']);
  const numberOf = (text: string) => texts.indexOf(visibleCharacters(text));
  const types = [
    { type: numberOf('samples'), unit: numberOf('count') },
    { type: numberOf('time'), unit: numberOf('nanoseconds') },
  ];
  for (const type of types) out.writeMessage(1, writeValueType, type);
  for (let node = 1; node < tree.parent.length; node++)
    if (tree.ns[node] > 0 || tree.samples[node] > 0) out.writeMessage(2, writeSample, { tree, node });
  for (let frame = 0; frame < tree.frames.length; frame++) {
    const [name, file] = [numberOf(tree.frames[frame]), numberOf(fileOf(frame) ?? '')];
    const described = { id: frame + 1, name, file };
    out.writeMessage(4, writeLocation, described);
    out.writeMessage(5, writeFunction, described);
  }
  for (const text of texts.list) out.writeStringField(6, text);
  writeBigVarintField(out, 9, beginNs);
  out.writeVarintField(10, lengthNs);
  out.writeVarintField(14, types[1].type);
  // Without a time stamp, equal profiles give equal files.
  return gzipSync(out.finish(), { mtime: 0 }) as Uint8Array<ArrayBuffer>;
}

interface Described {
  readonly id: number;
  readonly name: number;
  readonly file: number;
}

function writeValueType({ type, unit }: { type: number; unit: number }, out: PbfWriter): void {
  out.writeVarintField(1, type);
  out.writeVarintField(2, unit);
}

/** Writes a stack, innermost frame first, and its values. */
function writeSample({ tree, node }: { tree: StackTree; node: number }, out: PbfWriter): void {
  const stack: number[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) stack.push(tree.frame[at] + 1);
  out.writePackedVarint(1, stack);
  out.writePackedVarint(2, [Math.round(tree.samples[node]), Math.round(tree.ns[node])]);
}

function writeLocation(frame: Described, out: PbfWriter): void {
  out.writeVarintField(1, frame.id);
  out.writeMessage(4, writeLine, frame);
}

function writeLine({ id }: Described, out: PbfWriter): void {
  out.writeVarintField(1, id);
}

function writeFunction({ id, name, file }: Described, out: PbfWriter): void {
  out.writeVarintField(1, id);
  out.writeVarintField(2, name);
  out.writeVarintField(3, name);
  if (file > 0) out.writeVarintField(4, file);
}
