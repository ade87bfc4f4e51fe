/** Recordings and hosts by the names of folders: the recording that a trace belongs to, and names for hosts. */

/** Folders that LTTng makes in that of a recording; of those of user space the last ones may be given alone. */
const LAYOUT =
  /^(?:(.*?)\/)??(?:archives\/[^/]+\/)?(?:kernel|ust(?:\/(?:uid|pid)\/.+)?|(?:(?:uid\/)?\d+\/)?(?:32|64)-bit)$/;

/** A host without a folder of its own. */
const NAMELESS = 'host';

/**
 * The folder of the recording that a trace's folder belongs to: what stands before LTTng's `kernel`, `ust/uid/…`,
 * `ust/pid/…`, and before `archives/CHUNK` of a rotated session; '' when nothing does. Other traces are a session of
 * their own.
 */
export function sessionFolder(folder: string): string {
  const match = LAYOUT.exec(folder);
  return match === null ? folder : (match[1] ?? '');
}

/**
 * Names that distinguish folders: the last segment in which all differ, alone; else as many trailing segments as it
 * takes. Equal folders (one recording of several hosts) get a number.
 */
export function distinctNames(folders: readonly string[]): string[] {
  const segments = folders.map((folder) => folder.split('/').filter((segment) => segment !== ''));
  const depth = Math.max(1, ...segments.map((parts) => parts.length));
  for (let back = 1; back <= depth; back++) {
    const names = segments.map((parts) => parts.at(-back) ?? NAMELESS);
    if (allDistinct(names)) return names;
  }
  for (let count = 2; count <= depth; count++) {
    const names = segments.map((parts) => parts.slice(-count).join('/') || NAMELESS);
    if (allDistinct(names)) return names;
  }
  return segments.map((parts, index) => `${parts.at(-1) ?? NAMELESS}#${index + 1}`);
}

function allDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** The folder that all others lie in or are; undefined when there is none. */
export function commonFolder(folders: readonly string[]): string | undefined {
  let common = folders[0]?.split('/') ?? [];
  for (const folder of folders) {
    const segments = folder.split('/');
    const differs = common.findIndex((segment, i) => segment !== segments[i]);
    if (differs >= 0) common = common.slice(0, differs);
  }
  const joined = common.join('/');
  return joined === '' ? undefined : joined;
}

/**
 * Names several folders as one: `*` stands for what differs between what they begin and end with in common, as in
 * `session/*`. A single folder is itself.
 */
export function patternOf(folders: readonly string[]): string {
  const all = folders.map((folder) => folder.split('/'));
  const [first] = all;
  const shortest = Math.min(...all.map((segments) => segments.length));
  let head = 0;
  while (head < shortest && all.every((segments) => segments[head] === first[head])) head++;
  if (all.every((segments) => segments.length === head)) return first.join('/');
  let tail = 0;
  while (tail < shortest - head && all.every((segments) => segments.at(-1 - tail) === first.at(-1 - tail)))
    tail++;
  return [...first.slice(0, head), '*', ...first.slice(first.length - tail)].join('/');
}
