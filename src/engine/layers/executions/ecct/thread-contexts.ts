/**
 * Calling contexts of a host's threads as nodes: the call stack in force, then the pending system call, for its whole
 * duration.
 */
import { assert } from '../../../base/assert.ts';
import type { HostData } from '../../../graph/history-graph.ts';
import { firstEndingAfter } from '../../../graph/interval-lists.ts';
import type { StacksInForce } from '../../stacks/kernel-stacks.ts';
import { ROOT, type UnionTree } from '../union-tree.ts';
import { frameWords } from '../../stacks/frame-names.ts';
import { threadKey } from '../../../linux/states/reduce/thread-table.ts';
import { callFrame } from '../../stacks/call-frame.ts';

/** Number of stacks in keys of node and stack, exact in a double for 2^27 nodes. */
const MOST_STACKS = 2 ** 26;

export class ThreadContexts {
  /** Result of `find`: the innermost node, and the time when it changes. */
  node = ROOT;
  until = 0;
  /** Nodes by parent and stack. */
  readonly #nodes = new Map<number, number>();
  /** Frames of system calls by index in the host's strings. */
  readonly #calls = new Map<number, string>();

  constructor(
    private readonly host: HostData,
    private readonly stacks: StacksInForce,
    private readonly tree: UnionTree,
  ) {}

  /** Finds a thread's context below a node: the node itself if there is none, at the root its name. False: not in memory. */
  find(parent: number, thread: number, time: number): boolean {
    const { lists, tables } = this.host;
    const segment = lists.segmentAt(time);
    const calls = lists.at(tables.threads.callAttribute[thread], segment);
    if (calls === undefined) return false;
    const at = firstEndingAfter(calls, time);
    const isPending = at < calls.length && calls.begin[at] <= time;
    let until = lists.beginOf(segment + 1);
    if (at < calls.length) until = Math.min(until, isPending ? calls.end[at] : calls.begin[at]);
    this.until = Math.min(until, this.stacks.nextChange(thread, time));
    // Clocks that round differently in each direction could otherwise repeat one time forever.
    assert(this.until > time, 'the next change is later');
    this.node = this.#below(parent, this.stacks.at(thread, time));
    if (isPending) {
      this.node = this.tree.child(this.node, this.#callWords(calls.value[at]));
      this.node = this.#below(this.node, this.stacks.insideAt(thread, time));
    }
    if (this.node === ROOT) this.node = this.tree.child(ROOT, threadName(this.host, thread));
    return true;
  }

  #below(parent: number, stack: number): number {
    if (stack === 0) return parent;
    const key = parent * MOST_STACKS + stack;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    let node = parent;
    for (const text of this.stacks.textsOf(stack)) node = this.tree.child(node, frameWords(text));
    this.#nodes.set(key, node);
    return node;
  }

  #callWords(index: number): string {
    const known = this.#calls.get(index);
    if (known !== undefined) return known;
    const words = callFrame(frameWords(this.host.text(index)));
    this.#calls.set(index, words);
    return words;
  }
}

/** Last known name of a thread of a host by its row, else its number. */
export function threadName({ tables: { threads } }: HostData, row: number): string {
  return frameWords(threads.name[row] || threadKey(threads, row));
}
