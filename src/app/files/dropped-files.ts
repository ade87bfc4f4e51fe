/** Files that the user drops or picks, with those in their folders, as the list that the session opens. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { append } from '../../engine/base/append.ts';
import { compare } from '../../engine/base/compare.ts';
import type { Fault } from '../../engine/base/fault.ts';
import type { SourceRef } from '../../engine/io/byte-source.ts';

type FileRef = Extract<SourceRef, { kind: 'file' }>;

/** Largest number of files, more than any recording has: a disk may be dropped by mistake. */
const MOST_FILES = 20_000;

export interface GatheredFiles {
  readonly files: readonly FileRef[];
  /** Names of the dropped folders and files, for the experiment's name. */
  readonly roots: readonly string[];
  /** True when there were more than `MOST_FILES`. */
  readonly tooMany: boolean;
}

/** The files of a drop. Must be called in the drop event, since the browser empties its data afterwards. @internal */
export async function gatherDropped(data: DataTransfer): Promise<GatheredFiles> {
  const entries: FileSystemEntry[] = [];
  const loose: File[] = [];
  for (const item of [...data.items].filter((i) => i.kind === 'file')) {
    const entry = item.webkitGetAsEntry();
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) entries.push(entry);
    else if (file !== null) loose.push(file);
  }
  const files = loose.map((file) => fileRef(file.name, file));
  for (const entry of entries) {
    if (files.length < MOST_FILES) await walk(entry, files);
  }
  const roots = [...entries.map((entry) => entry.name), ...loose.map((file) => file.name)];
  return { files: inOrder(files), roots, tooMany: files.length >= MOST_FILES };
}

/** The files of an `<input type=file>`, with or without `webkitdirectory`. */
function gatherPicked(list: FileList): GatheredFiles {
  const picked = [...list];
  const files = picked
    .slice(0, MOST_FILES)
    .map((file) => fileRef(file.webkitRelativePath || file.name, file));
  const roots = [...new Set(files.map((file) => file.path.split('/')[0]))];
  return { files: inOrder(files), roots, tooMany: picked.length > MOST_FILES };
}

/** A name for what is opened: "trace", "a, b", "a, b and 3 more". */
export function nameOf(roots: readonly string[]): string {
  const shown = roots.slice(0, 2).join(', ');
  return roots.length > 2 ? `${shown} and ${roots.length - 2} more` : shown;
}

/** Fault if none of the files can be opened; undefined: opening can be tried. */
export function refusalOf({ files, roots, tooMany }: GatheredFiles): Fault | undefined {
  const place = { file: nameOf(roots) };
  if (tooMany) return { code: 'over-limit', place, found: `more than ${files.length} files` };
  return files.length === 0 ? { code: 'empty-folder', place } : undefined;
}

function fileRef(path: string, file: File): FileRef {
  return { kind: 'file', path, size: file.size, file };
}

/** Adds the files below an entry, folder by folder. Unreadable ones are left out: opening reports what is missing. */
async function walk(root: FileSystemEntry, files: FileRef[]): Promise<void> {
  const open: FileSystemEntry[] = [root];
  for (let entry = open.pop(); entry !== undefined && files.length < MOST_FILES; entry = open.pop()) {
    if (entry.isDirectory) {
      append(open, await childrenOf(entry as FileSystemDirectoryEntry));
    } else {
      const file = await fileOf(entry as FileSystemFileEntry);
      if (file !== undefined) files.push(fileRef(entry.fullPath.replace(/^\//, ''), file));
    }
  }
}

/** Entries of a folder. A reader gives them in batches (of 100 in Chromium) and ends with an empty one. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  while (children.length < MOST_FILES) {
    const batch = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (batch.length === 0) break;
    append(children, batch);
  }
  return children;
}

function fileOf(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)));
}

/** Sorts files by path, so that the order of a drop changes nothing. */
function inOrder(files: FileRef[]): FileRef[] {
  return files.sort((a, b) => compare(a.path, b.path));
}

/** Opens the browser's file dialog, which needs a click or key press. `onChoice` is not called when the user cancels. */
export function chooseFiles(kind: 'folder' | 'files', onChoice: (files: GatheredFiles) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = kind === 'folder';
  input.addEventListener('change', () => {
    if (input.files !== null) onChoice(gatherPicked(input.files));
  });
  input.click();
}

/** Listens for drops; the signal returned says whether files are being dragged over the page. */
export function listenForDrops(
  target: Window,
  onDrop: (files: GatheredFiles) => void,
): ReadonlySignal<boolean> {
  const dragging = signal(false);
  // Both events must be accepted, or the browser opens the file itself.
  const accept = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    dragging.value = true;
  };
  target.addEventListener('dragenter', accept);
  target.addEventListener('dragover', accept);
  target.addEventListener('dragleave', (event) => {
    // Sent for every element that is left; without a related one, the pointer has left the page.
    if (event.relatedTarget === null) dragging.value = false;
  });
  target.addEventListener('drop', (event) => {
    dragging.value = false;
    if (!holdsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    void gatherDropped(event.dataTransfer).then(onDrop);
  });
  return dragging;
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}
