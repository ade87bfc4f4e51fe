/** Chunk result of the call stacks of a host, in stream order. */
import { E_OWN, type EventChunk } from '../contract/event-chunk.ts';

// The first argument of these kinds is a row of `contexts` of the thread of a program, or -1; then the second one is the
// thread as an event of the kernel tells it, -1: the one that runs.
/** A stack was recorded: row of the chunk's tree, -1: not its part in the program; 1 for a sample; row of its part in the kernel. */
export const S_STACK = E_OWN;
/** A call ends: row of the chunk's tree, its duration in ns (low, high). */
export const S_CALL = E_OWN + 11;
/** A function was entered: row of the chunk's frames, that of its call site, -1: not recorded. */
export const S_ENTER = E_OWN + 1;
/** The same of one that was left; -1: which one is not recorded. */
export const S_LEAVE = E_OWN + 2;

/** tid of a thread that ends. */
export const S_EXIT = E_OWN + 7;
/** tid of a thread that executes another program; 1: perf says so, before it tells what is mapped then. */
export const S_EXEC = E_OWN + 12;
/** A process is forked: its number, and that of the process that it is a copy of. */
export const S_FORK = E_OWN + 13;

// The first argument of these kinds is the thread as an event of the kernel tells it, -1: the one that runs.
/** A call that opens a file: text of its path. */
export const S_OPEN = E_OWN + 8;
/** A call that maps memory: descriptor, -1: of no file; offset (low, high), length (low, high). */
export const S_MAP = E_OWN + 9;
/** A call that closes a descriptor: that. */
export const S_CLOSE = E_OWN + 14;
/** Such a call returns: 1 for one that maps, result (low, high). */
export const S_RETURN = E_OWN + 10;

/** A file is mapped: process, text of its path, address (low, high), offset (low, high), length. */
export const S_MAPPED = E_OWN + 15;
/** Tells the build of the file that a process maps next: process, text of its build id in hexadecimal digits. */
export const S_BUILD = E_OWN + 16;

/** Sorts of frames of a chunk. */
export const PROGRAM_ADDRESS = 0;
export const KERNEL_ADDRESS = 1;
/** The lower word is an index in the chunk's texts, the upper one that of its file, -1: none; `isReturn` is its line. */
export const NAME = 2;

/** Stacks of a chunk: row 0 has no frames, each other one adds a frame to an earlier row. */
export interface ChunkStacks {
  readonly parent: Int32Array;
  readonly frame: Int32Array;
  /** PROGRAM_ADDRESS … NAME by frame. */
  readonly sort: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  /** 1: a return address; of a NAME its line, -1: not recorded. */
  readonly isReturn: Int32Array;
}

export interface StackChunk extends EventChunk {
  readonly stacks: ChunkStacks;
}
