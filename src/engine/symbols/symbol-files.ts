/**
 * Programs and libraries among the files opened beside a trace, found by the trace's module data: the build id, or
 * else the name of the file. Also lists of functions of the kernel and of processes. Nothing is read until asked.
 */
import type { Fault } from '../base/fault.ts';
import { fileName } from '../base/file-name.ts';
import { laterCode } from '../base/later-code.ts';
import { type SourceOpener, type SourceRef, reopenedSource } from '../io/byte-source.ts';
import { isElf, isFunctionList } from '../io/program-files.ts';
import type { DebugLink } from './build-id.ts';
import { type ElfFile, SHT_SYMTAB } from './elf-file.ts';
import { KeptSymbols, NOTHING } from './kept-symbols.ts';
import type { ModuleSymbols, ProgramSymbols } from './symbols.ts';

/** Program or library as a trace identifies it. */
export interface WantedModule {
  readonly path: string;
  /** Build id in hexadecimal digits; undefined: the trace does not have it. */
  readonly buildId: string | undefined;
}

interface FoundElf {
  /** CRC-32 of all its bytes, once computed; undefined: it cannot be read. */
  crc?: Promise<number | undefined>;
  readonly name: string;
  readonly path: string;
  readonly elf: ElfFile;
  readonly buildId: string | undefined;
  readonly debugLink: DebugLink | undefined;
}

const fileReaders = laterCode(() => import('./file-readers.ts'));

/** Files that are examined at most, in case a home folder is opened. */
const MOST_FILES = 20_000;
/** Files that are examined together. */
const TOGETHER = 16;

/** State of a module: its file is there, its symbols were kept, there is a file of another build, or nothing. */
export type ModuleState = 'found' | 'kept' | 'other build' | 'missing';

/** Reader of a list of functions, by the name of the function that reads it. */
type ListReader = 'readKallsyms' | 'readPerfMap';

/** Finds the file with the debug information of a build, by its id in hexadecimal digits; undefined: there is none. */
export type FindDebugFile = (buildId: string) => Promise<SourceRef | undefined>;

export class SymbolFiles {
  #files: readonly SourceRef[];
  readonly #open: SourceOpener;
  #found: Promise<readonly FoundElf[]> | undefined;
  readonly #hasOneHost: boolean;
  readonly #lists = new Map<string, Promise<ModuleSymbols | undefined>>();
  /** Symbols of modules, by the paths of their files. */
  readonly #modules = new Map<string, ProgramSymbols>();
  readonly #faults = new Map<string, Fault>();
  readonly #kept: Promise<KeptSymbols>;
  readonly #debugFile: FindDebugFile;
  /** Debug files that were looked for, by build id. */
  readonly #debugFiles = new Map<string, Promise<FoundElf | undefined>>();

  /**
   * @param files those that are no part of a trace
   * @param hasOneHost of several, nobody knows whose kernel or process a list is of: lists are not used
   * @param kept what is known without files; learns what these say
   * @param debugFile looked for where no file that was opened has all functions of a build
   */
  constructor(
    files: readonly SourceRef[],
    open: SourceOpener,
    hasOneHost = true,
    kept: Promise<KeptSymbols> = Promise.resolve(new KeptSymbols()),
    debugFile: FindDebugFile = () => Promise.resolve(undefined),
  ) {
    this.#debugFile = debugFile;
    this.#hasOneHost = hasOneHost;
    this.#kept = kept;
    this.#files = files.slice(0, MOST_FILES);
    this.#open = open;
  }

  /** Why some of what was asked for is not known, each once. */
  get faults(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  /**
   * More files have come.
   * @returns how many of them may name anything
   */
  async add(files: readonly SourceRef[]): Promise<number> {
    const looked = new SymbolFiles(files, this.#open);
    const lists = files.filter(({ path }) => isFunctionList(path));
    const useful = (await looked.#find()).length + lists.length;
    if (useful === 0) return 0;
    this.#files = [...files, ...this.#files].slice(0, MOST_FILES);
    this.#found = undefined;
    this.#modules.clear();
    this.#lists.clear();
    this.#faults.clear();
    return useful;
  }

  async stateOf(wanted: WantedModule): Promise<ModuleState> {
    if ((await this.#filesOf(wanted)).length > 0) return 'found';
    if ((await this.#kept).module(keyOf(wanted)) !== undefined) return 'kept';
    const found = await (this.#found ??= this.#find());
    return found.some(({ name }) => name === fileName(wanted.path)) ? 'other build' : 'missing';
  }

  /** undefined: there is no file of it, or only of another build, which is a fault, and nothing is kept. */
  async module(wanted: WantedModule): Promise<ProgramSymbols | undefined> {
    const [first, ...more] = await this.#filesOf(wanted);
    const kept = await this.#kept;
    if (first === undefined) return kept.module(keyOf(wanted));
    const { moduleSymbols } = await fileReaders();
    const key = JSON.stringify([first, ...more].map(({ path }) => path));
    const known = this.#modules.get(key);
    if (known !== undefined) return known;
    const symbols = moduleSymbols([first.elf, ...more.map(({ elf }) => elf)], this.#note);
    const noted = withObjectNotes(symbols, keyOf(wanted), kept);
    this.#modules.set(key, noted);
    return noted;
  }

  /** Symbols of the kernel by a copy of `/proc/kallsyms`; undefined: there is none, or several. */
  kernel(): Promise<ModuleSymbols | undefined> {
    return this.#list('kallsyms', 'readKallsyms');
  }

  /** Notes that a list of functions may be that of several processes: it is not used. */
  noteShared(number: number): void {
    const place = { file: `perf-${number}.map` };
    this.#note({ code: 'symbols-shared', place, expected: 'one process', found: 'several' });
  }

  /** Functions that a process compiled as it ran, by `perf-NUMBER.map`; undefined: there is no such file, or several. */
  process(pid: number): Promise<ModuleSymbols | undefined> {
    return this.#list(`perf-${pid}.map`, 'readPerfMap');
  }

  #list(name: string, read: ListReader): Promise<ModuleSymbols | undefined> {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const found = this.#readList(name, read);
    this.#lists.set(name, found);
    return found;
  }

  async #readList(name: string, read: ListReader): Promise<ModuleSymbols | undefined> {
    const [file, ...more] = this.#hasOneHost ? this.#files.filter(({ path }) => fileName(path) === name) : [];
    const kept = await this.#kept;
    if (file === undefined || more.length > 0) return kept.module(name);
    const readers = await fileReaders();
    const list = await readers[read](reopenedSource(file, this.#open));
    if (list.ok) return withNotes(list.value, name, kept);
    this.#note(list.fault);
    return undefined;
  }

  /** Files of the same build: the module's own and one with its debug information. */
  async #filesOf({ path, buildId }: WantedModule): Promise<readonly FoundElf[]> {
    const found = await (this.#found ??= this.#find());
    const named = found.filter(({ name }) => name === fileName(path));
    const ofName = buildId === undefined ? ofOneBuild(named) : [];
    // A program that is known by its name says itself of which build its debug file is.
    const id = buildId ?? ofName.at(0)?.buildId;
    const own = id === undefined ? ofName : found.filter((file) => file.buildId === id);
    if (id !== undefined && !own.some(({ elf }) => isWhole(elf))) {
      const installed = this.#debugFiles.get(id) ?? this.#installed(id);
      this.#debugFiles.set(id, installed);
      const file = await installed;
      if (file !== undefined) return [...own, file];
    }
    if (own.length === 0 && buildId !== undefined) for (const file of named) this.#noteBuild(file, buildId);
    return [...own, ...(await this.#debugFilesOf(own, found))];
  }

  /** Debug file on this machine, if it is of this build. */
  async #installed(buildId: string): Promise<FoundElf | undefined> {
    const file = await this.#debugFile(buildId);
    const found = file && (await this.#look(file));
    if (found === undefined || found.buildId === buildId) return found;
    this.#noteBuild(found, buildId);
    return undefined;
  }

  /** Files with the debug information of those of one build, by the names in these: each as its id or its checksum says. */
  async #debugFilesOf(own: readonly FoundElf[], all: readonly FoundElf[]): Promise<readonly FoundElf[]> {
    const debug: FoundElf[] = [];
    if (own.some(({ elf }) => isWhole(elf))) return debug;
    const { crcOf } = await fileReaders();
    for (const { buildId, debugLink } of own) {
      for (const file of debugLink === undefined ? [] : all) {
        if (file.name !== debugLink?.name || own.includes(file) || debug.includes(file)) continue;
        const isBuilt = buildId !== undefined && file.buildId === buildId;
        const crc = isBuilt ? debugLink.crc : await (file.crc ??= crcOf(file.elf));
        if (crc === debugLink.crc) debug.push(file);
        else
          this.#note(
            otherBuild(file, checksumText(debugLink.crc), crc === undefined ? 'none' : checksumText(crc)),
          );
      }
    }
    return debug;
  }

  #noteBuild(file: FoundElf, wanted: string): void {
    this.#note(otherBuild(file, `build id ${wanted}`, file.buildId ?? 'none'));
  }

  readonly #note = (fault: Fault): void => void this.#faults.set(JSON.stringify(fault), fault);

  async #find(): Promise<readonly FoundElf[]> {
    const found: FoundElf[] = [];
    for (let at = 0; at < this.#files.length; at += TOGETHER) {
      const looked = this.#files.slice(at, at + TOGETHER).map((file) => this.#look(file));
      for (const elf of await Promise.all(looked)) if (elf !== undefined) found.push(elf);
    }
    return found;
  }

  /** undefined: it is no ELF file, or one that cannot be read, which is a fault. */
  async #look(file: SourceRef): Promise<FoundElf | undefined> {
    const source = reopenedSource(file, this.#open);
    const head = await source.read(0, Math.min(4, source.size));
    if (!head.ok || !isElf(head.value)) return undefined;
    const { buildIdOf, debugLinkOf, readElf } = await fileReaders();
    const read = await readElf(source);
    if (!read.ok) {
      this.#note(read.fault);
      return undefined;
    }
    const elf = read.value;
    const { path } = file;
    return {
      name: fileName(path),
      path,
      elf,
      buildId: await buildIdOf(elf),
      debugLink: await debugLinkOf(elf),
    };
  }
}

/** Key that the known symbols of a module are kept under. */
function keyOf({ path, buildId }: WantedModule): string {
  return buildId ?? fileName(path);
}

/** Wraps symbols so that what they find out is kept. */
function withNotes(symbols: ModuleSymbols, key: string, kept: KeptSymbols): ModuleSymbols {
  const { firstPage, loads } = symbols;
  return {
    firstPage,
    loads,
    async at(places) {
      const found = await symbols.at(places);
      kept.note(key, symbols, places, found);
      return found;
    },
  };
}

/** The same of objects too. */
function withObjectNotes(symbols: ProgramSymbols, key: string, kept: KeptSymbols): ProgramSymbols {
  return {
    ...withNotes(symbols, key, kept),
    async objectsAt(places) {
      const found = await symbols.objectsAt(places);
      kept.note(
        ...([key, symbols, places] as const),
        found.map((object) => ({ ...NOTHING, object })),
      );
      return found;
    },
  };
}

/** None where files of one name are of several builds: nobody knows which of them it was. */
function ofOneBuild(named: readonly FoundElf[]): readonly FoundElf[] {
  const [first, ...more] = named;
  return more.some(({ buildId }) => buildId === undefined || buildId !== first.buildId) ? [] : named;
}

/** Whether a file has all of its functions, and their lines: no other one need say more. */
function isWhole({ sections }: ElfFile): boolean {
  const has = (is: (section: ElfFile['sections'][number]) => boolean) =>
    sections.some((section) => section.size > 0 && is(section));
  return has(({ type }) => type === SHT_SYMTAB) && has(({ name }) => name === '.debug_line');
}

function otherBuild({ path }: FoundElf, expected: string, found: string): Fault {
  return { code: 'symbols-other-build', place: { file: path }, expected, found };
}

function checksumText(crc: number): string {
  return `CRC 0x${crc.toString(16).padStart(8, '0')}`;
}
