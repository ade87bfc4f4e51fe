/** Call stacks of a host: a tree of frames, stacks of threads over time, and names of frames without symbols. */
import { textAt, type TextColumn } from '../../base/text-column.ts';
import type { HostNs } from '../../base/units.ts';
import type { EventThread } from '../contract/event-threads.ts';

/** Frames as they were recorded, each once. */
export interface Frames {
  readonly length: number;
  /** Process id, as events of user space have it, whose memory the address is in; -1: the kernel. */
  readonly process: Int32Array;
  /** The upper and the lower 32 bits of the address. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** 1: a return address. Function and line are those of the byte before it. */
  readonly isReturn: Uint8Array;
  /** Row of `StackTables.modules`; -1: in none. */
  readonly module: Int32Array;
  /** Row of `StackTables.names`, for frames whose name the trace has itself (interpreted code); -1: it has an address. */
  readonly name: Int32Array;
}

/** Stacks that begin with the same frames share these: each row adds one frame to another row. */
interface StackTree {
  readonly length: number;
  /** The stack of the callers; -1 for row 0, which has no frames. */
  readonly parent: Int32Array;
  /** Row of `Frames`: the innermost frame of the stack. */
  readonly frame: Int32Array;
}

export interface ThreadStacks extends EventThread {
  /** Whether its stacks are of entries and exits of functions: else they are samples, or contexts of events. */
  readonly isEntered: boolean;
  /** HostNs at which the stack in force changes, ascending. */
  readonly times: Float64Array;
  /** Row of `StackTree` in force from then on. */
  readonly stacks: Int32Array;
  /** HostNs of the thread's samples, ascending. */
  readonly samples: Float64Array;
}

/** A program or a library in the memory of a process. */
export interface LoadedModule {
  readonly process: number;
  readonly base: bigint;
  /** Bytes of memory. */
  readonly size: number;
  readonly path: string;
  /** Build id in hexadecimal digits; undefined: the trace does not have it. */
  readonly buildId: string | undefined;
  /** True: it may be loaded anywhere, and addresses in its file begin at its first segment. */
  readonly isPic: boolean;
  /** -Infinity: it was there when the process began. */
  readonly since: HostNs;
  /** HostNs at which it was closed, where that is read; absent: it was not, as far as is known. */
  readonly until?: HostNs;
}

export interface StackTables {
  readonly frames: Frames;
  readonly tree: StackTree;
  readonly threads: readonly ThreadStacks[];
  readonly modules: readonly LoadedModule[];
  readonly names: TextColumn;
}

/** A frame in no module: an absolute address is another one in each run, so that it is no name. */
export const UNKNOWN_FRAME = '[unknown]';

/** A name that the trace has itself, else `MODULE+0xOFFSET` with the name of the module's file. */
export function moduleText({ frames, modules, names }: Omit<StackTables, 'threads'>, frame: number): string {
  const { name, module, high, low } = frames;
  if (name[frame] >= 0) return textAt(names, name[frame]);
  if (module[frame] < 0) return UNKNOWN_FRAME;
  const { path, base } = modules[module[frame]];
  const offset = wideOf(low[frame], high[frame]) - base;
  return `${path.slice(path.lastIndexOf('/') + 1)}+0x${offset.toString(16)}`;
}

/** Number of two words of 32 bits. */
export function wideOf(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
