/** Files that processes have open, by descriptor: what calls, forks and dumps do to their tables. */
import { closesOnExecAlone } from './io-calls.ts';

export interface OpenFile {
  readonly path: string;
  readonly closesOnExec: boolean;
}

export class Descriptors {
  /** Open files, by process and descriptor. */
  readonly #files = new Map<number, Map<number, OpenFile>>();

  /** undefined: not known. */
  at(pid: number, fd: number): OpenFile | undefined {
    return this.#files.get(pid)?.get(fd);
  }

  /** Opens a file: what the descriptor meant before is closed. */
  open(pid: number, fd: number, file: OpenFile): void {
    this.#filesOf(pid).set(fd, file);
  }

  /** A child with a table of its own. */
  fork(parent: number, child: number): void {
    this.#files.set(child, new Map(this.#files.get(parent)));
  }

  /** Copies a file: what `to` was before is closed, whether it is known what it is now or not. */
  copy(pid: number, file: OpenFile | undefined, to: number, closesOnExec: boolean): void {
    if (file === undefined) this.close(pid, to);
    else this.open(pid, to, { path: file.path, closesOnExec });
  }

  close(pid: number, fd: number): void {
    this.#files.get(pid)?.delete(fd);
  }

  /**
   * @param last unsigned, so that a negative one is above all descriptors
   * @param flags of close_range
   * @param onClosed called with each file that is closed
   */
  closeRange(
    pid: number,
    first: number,
    last: number,
    flags: number,
    onClosed?: (file: OpenFile) => void,
  ): void {
    const files = this.#filesOf(pid);
    for (const [fd, file] of files) {
      if (fd < first || fd > last >>> 0) continue;
      if (closesOnExecAlone(flags)) files.set(fd, { ...file, closesOnExec: true });
      else if (files.delete(fd)) onClosed?.(file);
    }
  }

  /** @param onClosed called with each file that is closed */
  exec(pid: number, onClosed?: (file: OpenFile) => void): void {
    const files = this.#filesOf(pid);
    for (const [fd, file] of files) if (file.closesOnExec && files.delete(fd)) onClosed?.(file);
  }

  #filesOf(pid: number): Map<number, OpenFile> {
    const known = this.#files.get(pid);
    if (known !== undefined) return known;
    const files = new Map<number, OpenFile>();
    this.#files.set(pid, files);
    return files;
  }
}
