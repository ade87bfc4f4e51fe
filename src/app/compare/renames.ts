/** Functions that were renamed between two versions: as lines of text, in links, and as proposed. Pure. */
import type { Renames } from '../../engine/layers/executions/ranking/compared.ts';
import type { Groups } from '../../engine/layers/executions/ranking/groups.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';

/** Separator of the two names, with spaces around it if a name contains it, such as `operator==`. */
const BETWEEN = '=';
const WIDE = ' = ';

/** A line for each: `OLD=NEW`. */
export function renameText(renames: Renames): string {
  return Array.from(renames, (names) =>
    names.join(names.some((name) => name.includes(BETWEEN)) ? WIDE : BETWEEN),
  ).join('\n');
}

/** Reads renames from lines `OLD=NEW`; other lines are left out. */
export function readRenames(text: string): Renames {
  return new Map(text.split(/\r?\n/).flatMap((line) => readLine(line) ?? []));
}

function readLine(line: string): [[string, string]] | undefined {
  const between = line.includes(WIDE) ? WIDE : BETWEEN;
  const at = line.indexOf(between);
  const [from, to] = [line.slice(0, at).trim(), line.slice(at + between.length).trim()];
  return at > 0 && from !== '' && to !== '' ? [[from, to]] : undefined;
}

const OLD = 'renamed';
const NEW = 'renamed-to';

export function writeRenames(renames: Renames, parts: URLSearchParams): void {
  for (const [from, to] of renames) {
    parts.append(OLD, from);
    parts.append(NEW, to);
  }
}

export function readRenameParts(parts: URLSearchParams): Renames {
  const names = parts.getAll(NEW);
  return new Map(
    parts.getAll(OLD).flatMap((from, i) => (i < names.length ? [[from, names[i]] as const] : [])),
  );
}

export interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Functions that may be the same under another name: with the same callers, one is only in A and one only in B, and
 * neither is elsewhere in the other group. If there are several, they are paired in order of their time.
 */
export function proposedRenames(answer: ExecutionsAnswer, { a, b }: Groups): readonly Rename[] {
  const { frames, frame, parent } = answer.tree;
  const [inA, inB] = [timesOf(answer, a), timesOf(answer, b)];
  const [framesOfA, framesOfB] = [framesWith(answer, inA), framesWith(answer, inB)];
  /** Nodes of A whose frames are not in B, by parent; and nodes of B whose frames are not in A. */
  const gone = new Map<number, number[]>();
  const come = new Map<number, number[]>();
  for (let node = 1; node < parent.length; node++) {
    const isGone = inA[node] > 0 && framesOfB[frame[node]] === 0;
    const isNew = inB[node] > 0 && framesOfA[frame[node]] === 0;
    if (!isGone && !isNew) continue;
    const children = isGone ? gone : come;
    const siblings = children.get(parent[node]);
    if (siblings === undefined) children.set(parent[node], [node]);
    else siblings.push(node);
  }
  const proposed = new Map<string, string>();
  for (const [above, olds] of gone) {
    const news = (come.get(above) ?? []).sort((x, y) => inB[y] - inB[x]);
    olds.sort((x, y) => inA[y] - inA[x]);
    olds.slice(0, news.length).forEach((old, i) => {
      const [from, to] = [frames[frame[old]], frames[frame[news[i]]]];
      if (!proposed.has(from)) proposed.set(from, to);
    });
  }
  return Array.from(proposed, ([from, to]) => ({ from, to }));
}

/** Time of the executions at each node and below; ns. */
function timesOf({ start, nodes, ns, tree: { parent } }: ExecutionsAnswer, group: Int32Array): Float64Array {
  const times = new Float64Array(parent.length);
  for (const i of group) for (let row = start[i]; row < start[i + 1]; row++) times[nodes[row]] += ns[row];
  // Children come after their parents.
  for (let node = parent.length - 1; node > 0; node--) times[parent[node]] += times[node];
  return times;
}

/** Flags of the frames, by frame; 1: it has time. */
function framesWith({ tree: { frames, frame } }: ExecutionsAnswer, times: Float64Array): Uint8Array {
  const has = new Uint8Array(frames.length);
  for (let node = 1; node < frame.length; node++) if (times[node] > 0) has[frame[node]] = 1;
  return has;
}
