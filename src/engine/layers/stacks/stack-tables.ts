/** Call stacks of a host: a tree of frames, stacks of threads over time, and names of frames without symbols. */
import { fileName } from '../../base/file-name.ts';
import { textAt, type TextColumn } from '../../base/text-column.ts';
import type { HostNs } from '../../base/units.ts';
import { wideOf } from '../../base/wide-integer.ts';
import type { EventThread } from '../contract/event-threads.ts';

/** Frames as they were recorded, each once. */
export interface Frames {
  readonly length: number;
  /** Process id, as in user-space events, whose memory contains the address; -1: the kernel. */
  readonly process: Int32Array;
  /** Upper and lower 32 bits of the address; for a named frame 1 + row of `names` of its file, 0 none, and its line. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** 1: a return address, whose function and line are those of the byte before it. */
  readonly isReturn: Uint8Array;
  /** Row of `StackTables.modules`; -1: in none. */
  readonly module: Int32Array;
  /** Row of `StackTables.names` for frames named in the trace (interpreted code); -1: it has an address. */
  readonly name: Int32Array;
}

/** Tree of stacks, in which common outer frames are shared: each row adds one frame to another row. */
interface StackTree {
  readonly length: number;
  /** The stack of the callers; -1 for row 0, which has no frames. */
  readonly parent: Int32Array;
  /** Row of `Frames`: the innermost frame of the stack. */
  readonly frame: Int32Array;
}

/** Entries and exits of a thread's functions with call sites; columns of equal length. */
export interface FunctionEntries {
  /** HostNs, ascending. */
  readonly times: Float64Array;
  /** Row of `Frames` for an entry, `exitOf` for an exit, or ALL_LEFT. */
  readonly frames: Int32Array;
  /** Row of `Frames` of the call site, a return address; -1: not known. */
  readonly sites: Int32Array;
}

/** Value in `FunctionEntries.frames` of an exit from a frame's function, -1: from the innermost. */
export function exitOf(frame: number): number {
  return -3 - frame;
}

/** Value in `FunctionEntries.frames` of the end of the thread, or of its program. */
export const ALL_LEFT = -1;

export interface ThreadStacks extends EventThread {
  /** Whether its stacks are from entries and exits of functions, rather than samples or contexts of events. */
  readonly isEntered: boolean;
  /** HostNs at which the stack in force changes, ascending. */
  readonly times: Float64Array;
  /** Row of `StackTree` in force from then on. */
  readonly stacks: Int32Array;
  /** Row of the frames in the kernel, below the pending system call; 0: none. */
  readonly inside: Int32Array;
  /** Undefined: its stacks are not from entries and exits with call sites. */
  readonly entries: FunctionEntries | undefined;
  /** HostNs of the thread's samples, ascending. */
  readonly samples: Float64Array;
}

/** Memory of a process: from its begin, its fork, or the execution of another program, up to its next one. */
export interface ProcessMemory {
  readonly process: number;
  /** HostNs; -Infinity: it was not seen to begin. */
  readonly since: HostNs;
  /** Row of the memory that it is a copy of, -1: none. */
  readonly parent: number;
}

/** A program or a library in the memory of a process. */
export interface LoadedModule {
  readonly process: number;
  /** Row of its memory. */
  readonly memory: number;
  readonly base: bigint;
  /** Bytes of memory, from the base on. */
  readonly size: number;
  readonly path: string;
  /** Build id in hexadecimal digits; undefined: the trace does not have it. */
  readonly buildId: string | undefined;
  /** Whether it is position independent, so that addresses in its file begin at its first segment. */
  readonly isPic: boolean;
  /** HostNs at which it was loaded; if it is that of its memory, the module was there when that began. */
  readonly since: HostNs;
  /** HostNs at which it was unloaded; absent: never, as far as known. */
  readonly until?: HostNs;
  /** Mapping by a call, if no program reports its modules: the base is then that of a file without gaps. */
  readonly mapping?: FileMapping;
}

/** Mapped bytes of a file. */
interface FileMapping {
  /** Address of the first byte. */
  readonly at: bigint;
  /** Offset of the first byte in the file. */
  readonly offset: number;
  readonly length: number;
}

export interface StackTables {
  readonly frames: Frames;
  readonly tree: StackTree;
  readonly threads: readonly ThreadStacks[];
  readonly modules: readonly LoadedModule[];
  readonly memories: readonly ProcessMemory[];
  /** Numbers that processes have in their own pid namespaces, as pairs of process and number. */
  readonly inside: readonly (readonly [process: number, number: number])[];
  readonly names: TextColumn;
}

/** Frame in no module: an absolute address differs in each run, so that it is no name. */
export const UNKNOWN_FRAME = '[unknown]';

/**
 * Name from the trace, else `MODULE+0xOFFSET` with the name of the module's file.
 * @param from offset from its module's base, bytes, if its file states another one than the trace; NaN: by the trace
 */
export function moduleText(
  { frames, modules, names }: Omit<StackTables, 'threads'>,
  frame: number,
  from = NaN,
): string {
  const { name, module, high, low } = frames;
  if (name[frame] >= 0) return textAt(names, name[frame]);
  if (module[frame] < 0) return UNKNOWN_FRAME;
  const { path, base } = modules[module[frame]];
  const offset = Number.isNaN(from) ? wideOf(low[frame], high[frame]) - base : from;
  return `${fileName(path)}+0x${offset.toString(16)}`;
}

/** File and line of a named frame; undefined: not recorded. */
export function lineOf(
  { frames, names }: Pick<StackTables, 'frames' | 'names'>,
  frame: number,
): { readonly file: string; readonly line: number } | undefined {
  const { name, high, low } = frames;
  if (name[frame] < 0 || high[frame] === 0) return undefined;
  return { file: textAt(names, high[frame] - 1), line: low[frame] };
}
