/** Open files of processes, by descriptor, as calls, forks and dumps change them. */
import { closesOnExecAlone } from './io-calls.ts';

/** An open file description, made by an opening call and shared by copies of its descriptor and forked children. */
export interface OpenFile {
  readonly path: string;
}

interface Descriptor<File> {
  readonly file: File;
  readonly closesOnExec: boolean;
}

/** Descriptors known at once, and descriptors copied by forks, besides some of each fork: only a trace made for it has more. */
const MOST_KNOWN = 2_000_000;
const MOST_COPIES = 5_000_000;
const COPIES_OF_EACH = 500;

export class Descriptors<File extends OpenFile = OpenFile> {
  /** Number of forks after which the child's descriptors are not known. */
  unknownForks = 0;
  #known = 0;
  #copiesLeft = MOST_COPIES;
  /** Descriptors by process and number. */
  readonly #files = new Map<number, Map<number, Descriptor<File>>>();

  /** @param onChange called with each descriptor that a process gets (1) or loses (-1) */
  constructor(private readonly onChange: (pid: number, file: File, by: 1 | -1) => void = () => undefined) {}

  /** Undefined: not known. */
  at(pid: number, fd: number): File | undefined {
    return this.#files.get(pid)?.get(fd)?.file;
  }

  /** Opens a file, which closes the descriptor's file before. */
  open(pid: number, fd: number, file: File, closesOnExec: boolean): void {
    // The new one first, so that a copy onto itself never closes the file.
    this.onChange(pid, file, 1);
    this.close(pid, fd);
    this.#filesOf(pid).set(fd, { file, closesOnExec });
    this.#known++;
  }

  /** Copies the table for a child. */
  fork(parent: number, child: number): void {
    this.end(child);
    const count = this.#files.get(parent)?.size ?? 0;
    if (this.#known + count > MOST_KNOWN || this.#copiesLeft + COPIES_OF_EACH < count) {
      this.unknownForks++;
      return;
    }
    this.#known += count;
    this.#copiesLeft += COPIES_OF_EACH - count;
    const files = new Map(this.#files.get(parent));
    this.#files.set(child, files);
    for (const { file } of files.values()) this.onChange(child, file, 1);
  }

  /** Copies a file to `to`, which closes the file there before, even if the new one is not known. */
  copy(pid: number, file: File | undefined, to: number, closesOnExec: boolean): void {
    if (file === undefined) this.close(pid, to);
    else this.open(pid, to, file, closesOnExec);
  }

  close(pid: number, fd: number): void {
    const files = this.#files.get(pid);
    const closed = files?.get(fd);
    if (files === undefined || closed === undefined) return;
    files.delete(fd);
    this.#known--;
    this.onChange(pid, closed.file, -1);
  }

  /** Sets whether a descriptor is closed on exec. */
  mark(pid: number, fd: number, closesOnExec: boolean): void {
    const files = this.#files.get(pid);
    const known = files?.get(fd);
    if (known !== undefined) files?.set(fd, { ...known, closesOnExec });
  }

  /**
   * @param last unsigned, so that a negative one is above all descriptors
   * @param flags of close_range
   */
  closeRange(pid: number, first: number, last: number, flags: number): void {
    for (const fd of this.#filesOf(pid).keys()) {
      if (fd < first || fd > last >>> 0) continue;
      if (closesOnExecAlone(flags)) this.mark(pid, fd, true);
      else this.close(pid, fd);
    }
  }

  /** Closes files when the process runs another program. */
  exec(pid: number): void {
    for (const [fd, { closesOnExec }] of this.#filesOf(pid)) if (closesOnExec) this.close(pid, fd);
  }

  /** Closes all files when the process ends. */
  end(pid: number): void {
    for (const fd of this.#filesOf(pid).keys()) this.close(pid, fd);
    this.#files.delete(pid);
  }

  #filesOf(pid: number): Map<number, Descriptor<File>> {
    const known = this.#files.get(pid);
    if (known !== undefined) return known;
    const files = new Map<number, Descriptor<File>>();
    this.#files.set(pid, files);
    return files;
  }
}
