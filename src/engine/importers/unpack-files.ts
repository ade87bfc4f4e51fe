/** Unpacks archives and converts files of other recorders to CTF traces. */
import { append } from '../base/append.ts';
import type { Fault } from '../base/fault.ts';
import { laterCode } from '../base/later-code.ts';
import type { Unpacked, UnpackOptions } from '../archive/types.ts';
import { unpackArchives } from '../archive/unpack.ts';
import { type ByteSource, reopenedSource, type SourceRef } from '../io/byte-source.ts';
import { recordingFingerprint } from '../trace/fingerprint.ts';
import type { Importer } from './import-run.ts';

/** A kind of files with an importer. */
interface Kind {
  /** Texts or patterns, one of which such files begin with. */
  readonly signs: readonly (string | RegExp)[];
  /** Pattern of their names; absent: any name. */
  readonly called?: RegExp;
  /** Loads the importer on demand. */
  readonly load: () => Promise<Importer>;
}

const importRun = laterCode(() => import('./import-run.ts'));

const IMPORTERS: readonly Kind[] = [
  {
    signs: ['PERFILE2', '2ELIFREP'],
    load: laterCode(async () => (await import('./perf/import-perf.ts')).importPerf),
  },
  {
    signs: ['\x17\bDtracing'],
    load: laterCode(async () => (await import('./trace-cmd/import-trace-dat.ts')).importTraceDat),
  },
  {
    // A packet, its size, and a field that packets have.
    signs: [/^\n[\x80-\xff]{0,4}[\0-\x7f][\n\x12\x32@JPZbh\x80-\xff]/],
    called:
      /\.(pb|pftrace|perfetto-trace|pf|perfetto|ptrace|trace)$|(^|[^a-z])perfetto[^/]*$|(^|\/)trace[^/.]*$/i,
    load: laterCode(async () => (await import('./perfetto/import-perfetto.ts')).importPerfetto),
  },
  {
    // Text of ftrace: its header, or a line "sh-391 [001] d..2. 113.593145: EVENT".
    signs: [
      /^# tracer: /,
      /^(?:cpus=|version = )\d+\n/,
      /^\s{0,64}.{1,64}?-\d+\s+.{0,40}\[\d{3,5}\]\s.{0,16}\s\d+\.\d{6,9}: /m,
    ],
    load: laterCode(async () => (await import('./ftrace-text/import-text.ts')).importFtraceText),
  },
];
/** Bytes needed to recognise a file, and bytes looked at. */
const LONGEST_SIGN = 10;
const LOOKED_AT = 4096;

/** Files are examined if their names resemble recordings', or if there are few and none is part of a trace. */
const CALLED_RECORDING = /(^|\/)(perf|f?trace|report)[^/]*$|\.(data|dat|perf|pb|pftrace)$/i;
const FEW = 20;

/** Other files are passed on unchanged. */
export async function unpackFiles(files: readonly SourceRef[], options: UnpackOptions): Promise<Unpacked> {
  const unpacked = await unpackArchives(files, options);
  const importers = await findImporters(unpacked.files, options);
  if (importers.size === 0) return unpacked;
  const { ImportRun } = await importRun();
  const total = [...importers.keys()].reduce((sum, { size }) => sum + size, 0);
  const found: SourceRef[] = [];
  const faults: Fault[] = [...unpacked.faults];
  const parts = new Set<SourceRef>();
  let done = 0;
  for (const file of unpacked.files) {
    const importer = importers.get(file);
    if (importer === undefined) {
      found.push(file);
      continue;
    }
    const source = await options.open(file);
    if (!source.ok) faults.push(source.fault);
    else {
      const onBytes = (bytes: number): void => options.onProgress?.(done + bytes, total);
      onBytes(0);
      const { tempFiles, signal, open } = options;
      const { files: all } = unpacked;
      const run = new ImportRun(file, source.value, { tempFiles, signal, onBytes, files: all, open });
      await importer(run);
      const isWhole = signal?.aborted !== true && run.parts.length === 0;
      append(found, isWhole ? await marked(run.files, source.value) : run.files);
      append(faults, run.faults);
      for (const part of run.parts) parts.add(part);
      await source.value.close?.();
    }
    done += file.size;
  }
  return { files: found.filter((file) => !parts.has(file)), faults };
}

/** Marks metadata with the fingerprint of their recording; for the first trace it is the fingerprint itself. */
async function marked(files: readonly SourceRef[], source: ByteSource): Promise<readonly SourceRef[]> {
  const print = await recordingFingerprint(source);
  if (!print.ok) return files;
  let traces = 0;
  return files.map((file) => {
    if (!isMetadata(file)) return file;
    const more = traces++;
    return { ...file, recording: more === 0 ? print.value : `${print.value}+${more}` };
  });
}

const isMetadata = ({ path }: SourceRef): boolean => /(^|\/)metadata$/.test(path);
/** Archives, and parts of a recording in a folder (`perf record --threads`), which its first file does not name. */
const IS_PART = /\.(zip|tar|t?gz|tgz)$|(^|\/)data\.\d+$/i;

/** Fingerprint of the only trace that importing files gives; undefined: not known beforehand. */
export async function recordingOf(
  files: readonly SourceRef[],
  options: Pick<UnpackOptions, 'open'>,
): Promise<string | undefined> {
  if (files.some((file) => isMetadata(file) || IS_PART.test(file.path))) return undefined;
  const [file, ...more] = (await findImporters(files, options)).keys();
  if (file === undefined || more.length > 0) return undefined;
  const source = await options.open(file);
  if (!source.ok) return undefined;
  const print = await recordingFingerprint(source.value);
  await source.value.close?.();
  return print.ok ? print.value : undefined;
}

async function findImporters(
  files: readonly SourceRef[],
  { open }: Pick<UnpackOptions, 'open'>,
): Promise<ReadonlyMap<SourceRef, Importer>> {
  const isFew = files.length <= FEW && !files.some(isMetadata);
  const importers = new Map<SourceRef, Importer>();
  for (const file of files) {
    if (file.size < LONGEST_SIGN || !(isFew || CALLED_RECORDING.test(file.path))) continue;
    const head = await reopenedSource(file, open).read(0, Math.min(LOOKED_AT, file.size));
    const begin = head.ok ? String.fromCharCode(...head.value) : '';
    const kind = IMPORTERS.find(
      ({ signs, called }) =>
        signs.some((sign) => (typeof sign === 'string' ? begin.startsWith(sign) : sign.test(begin))) &&
        (called === undefined || called.test(file.path)),
    );
    if (kind !== undefined) importers.set(file, await kind.load());
  }
  return importers;
}
