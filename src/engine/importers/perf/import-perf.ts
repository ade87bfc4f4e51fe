/** perf.data → CTF: samples and the other records as `perf data convert --all --to-ctf` names them, one stream a CPU. */
import { append } from '../../base/append.ts';
import { compare } from '../../base/compare.ts';
import type { SourceRef } from '../../io/byte-source.ts';
import type { OutputTrace } from '../ctf-output.ts';
import type { ImportRun, Span } from '../import-run.ts';
import { isSwitch, RECORD } from './other-records.ts';
import { type PerfFacts, readPerfHeader, recordedAlone } from './perf-header.ts';
import { type PerfRecord, readPerfRecords, recordTaker } from './perf-records.ts';
import { isSampledTracepoint, samplingOf } from './perf-samples.ts';
import { PerfWriter } from './perf-writer.ts';

export async function importPerf(run: ImportRun): Promise<void> {
  const { file, source } = run;
  const header = await readPerfHeader(source);
  if (!header.ok) {
    run.faults.push(header.fault);
    return;
  }
  const { isBig, from, to, facts } = header.value;
  const output = run.output(file.path, isBig);
  const writer = new PerfWriter(run, header.value, output);
  const read = async (span: Span): Promise<void> => {
    await readPerfRecords(run, span, isBig, (record) => writer.add(record));
    writer.endFile();
  };
  await read({ source, from, to });
  if (facts.isFolder) append(run.parts, partsOf(run));
  for (const part of await inOrderOfTime(run, isBig, writer)) {
    await read(part);
    await part.source.close?.();
  }
  writer.end();
  await run.finish(output, { environment: environmentOf(facts, writer.program), clock: clockOf(facts) });
  run.sayLeftOut('record');
  const sampled = facts.attributes.filter(isSampledTracepoint);
  const names = sampled.map(({ name, config }) => name ?? `tracepoint ${config}`);
  if (names.length > 0)
    run.faults.push({ code: 'events-sampled', place: { file: file.path }, found: names.join(', ') });
}

/** Files `data.N` beside the file `data` with the header: one for each thread of perf, with only records. */
function partsOf({ file: { path }, options }: ImportRun): SourceRef[] {
  const isPart = (other: string) =>
    other.startsWith(`${path}.`) && /^\d+$/.test(other.slice(path.length + 1));
  return options.files.filter((other) => isPart(other.path));
}

/** Bytes of a file that are searched for its first time. */
const LOOKED_AT = 1 << 20;

/**
 * Orders the parts by their first sample, as each CPU is in one file; records of what existed before go with the
 * first sample of all.
 */
async function inOrderOfTime(run: ImportRun, isBig: boolean, writer: PerfWriter): Promise<Span[]> {
  const found: { readonly span: Span; readonly first: bigint }[] = [];
  for (const file of run.parts) {
    const opened = await run.options.open(file);
    if (!opened.ok) continue;
    const source = opened.value;
    const head = await source.read(0, Math.min(file.size, LOOKED_AT));
    let first = 0n;
    const onRecord = (record: PerfRecord): void => {
      if (first === 0n && (record.type === RECORD.sample || isSwitch(record.type)))
        first = writer.timeOf(record);
    };
    if (head.ok) recordTaker(source, isBig, onRecord)(head.value, 0);
    found.push({ span: { source, from: 0, to: file.size }, first });
  }
  found.sort((a, b) => compare(a.first, b.first));
  return found.map(({ span }) => span);
}

/** @param executed name of the first program that perf executed */
function environmentOf(facts: PerfFacts, executed: string | undefined): OutputTrace['environment'] {
  const { hostname = '', release = '', machine = '', ...more } = facts.environment;
  const program = recordedAlone(facts, executed);
  if (program !== undefined) more.recorded_program = program;
  const samples = new Set(facts.attributes.flatMap(samplingOf));
  if (samples.size > 0) more.samples = [...samples].join('; ');
  return { hostname, sysname: 'Linux', release, machine, domain: 'kernel', tracer_name: 'perf', ...more };
}

/** Names of `clockid` (clock_gettime(2)). */
const CLOCKS: Readonly<Record<number, string>> = {
  0: 'realtime',
  1: 'monotonic',
  4: 'monotonic_raw',
  7: 'boottime',
};

function clockOf({ attributes, clockOffset }: PerfFacts): OutputTrace['clock'] {
  const clock = CLOCKS[attributes[0]?.clock ?? -1];
  return {
    name: clock ?? 'perf_clock',
    description: clock === undefined ? "perf's own clock" : `the kernel's clock ${clock}`,
    offset: clockOffset,
  };
}
