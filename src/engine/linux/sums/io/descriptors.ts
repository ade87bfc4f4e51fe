/** Files that processes have open, by descriptor: what calls, forks and dumps do to their tables. */
import { closesOnExecAlone } from './io-calls.ts';

/** An open file description: what a call made that opens. Copies of its descriptor and children that are forked share it. */
export interface OpenFile {
  readonly path: string;
}

interface Descriptor<File> {
  readonly file: File;
  readonly closesOnExec: boolean;
}

/** Descriptors that are known at once, and those that forks copied, beside some of each fork: only a trace made for it has more. */
const MOST_KNOWN = 2_000_000;
const MOST_COPIES = 5_000_000;
const COPIES_OF_EACH = 500;

export class Descriptors<File extends OpenFile = OpenFile> {
  /** Forks of which it is not known what descriptors the child has. */
  unknownForks = 0;
  #known = 0;
  #copiesLeft = MOST_COPIES;
  /** Descriptors by process and number. */
  readonly #files = new Map<number, Map<number, Descriptor<File>>>();

  /** @param onChange called with each descriptor that a process gets (1) or loses (-1) */
  constructor(private readonly onChange: (pid: number, file: File, by: 1 | -1) => void = () => undefined) {}

  /** undefined: not known. */
  at(pid: number, fd: number): File | undefined {
    return this.#files.get(pid)?.get(fd)?.file;
  }

  /** Opens a file: what the descriptor meant before is closed. */
  open(pid: number, fd: number, file: File, closesOnExec: boolean): void {
    // The new one first, so that a copy onto itself is never without a descriptor.
    this.onChange(pid, file, 1);
    this.close(pid, fd);
    this.#filesOf(pid).set(fd, { file, closesOnExec });
    this.#known++;
  }

  /** A child with a table of its own. */
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

  /** Copies a file: what `to` was before is closed, whether it is known what it is now or not. */
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

  /** Tells whether a descriptor is closed when its process runs another program. */
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

  /** The process runs another program. */
  exec(pid: number): void {
    for (const [fd, { closesOnExec }] of this.#filesOf(pid)) if (closesOnExec) this.close(pid, fd);
  }

  /** The process ends. */
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
