/**
 * A finding as a file: a zip archive of a part of the trace, which opens like any, and of its view in `finding.json`.
 */
import { packZip, type ZipMember } from '../../archive/pack-zip.ts';
import { compare } from '../../base/compare.ts';
import { fail, type Fault, ok, type Result } from '../../base/fault.ts';
import { utf8 } from '../../export/tables/table.ts';
import type { ByteSource, SourceOpener, SourceRef } from '../../io/byte-source.ts';
import { memorySource } from '../../io/memory-source.ts';
import { joinedSource } from '../../io/joined-source.ts';
import { keptText } from '../../symbols/kept-text.ts';
import { FINDING, FINDING_SYMBOLS } from '../../trace/find-traces.ts';
import { openExperiment } from '../../trace/open-experiment.ts';
import { leftOutTexts, withLeftOut } from '../../trace/left-out.ts';
import type { Experiment } from '../../trace/types.ts';
import { fingerprintOf } from '../../trace/fingerprint-of-key.ts';
import type { QueryContext } from '../context/query.ts';
import { traceKey } from '../context/trace-key.ts';
import { type Cut, type CutFile, cutOf } from './cut.ts';
import type { FindingRequest } from '../../protocol/export.ts';
import { maskedMembers } from './masked-members.ts';

/** Maximum bytes before packing: archives of 4 GiB need another format. */
const MOST_BYTES = 2 ** 31;

/**
 * The file as pieces, none without the files of the trace.
 * @returns the fault because of which the file must not be used
 */
export async function* findingFile(
  context: QueryContext,
  request: FindingRequest,
): AsyncGenerator<Uint8Array<ArrayBuffer>, Fault | undefined> {
  const { signal, onProgress } = context;
  const { events } = context.trace;
  if (events === undefined) return undefined;
  const { experiment, open } = events;
  const cut = await cutOf({ ...context, onProgress: undefined }, request.range);
  if (cut === undefined) return undefined;
  if (cut.bytes > MOST_BYTES) return tooLarge(cut.bytes);
  const members = membersOf(cut, open, request.withoutTexts === true);
  const part = await openMembers(members);
  if (!areSameTimes(experiment, part)) return OTHER_TIMES;
  const { range, link, notes } = request;
  const leftOut = leftOutTexts(experiment.hosts.map((host, i) => ({ ...host, leftOut: cut.leftOut[i] })));
  const trace = fingerprintOf(await traceKey(withLeftOut(part, leftOut)));
  const says = { wakepath: 'finding', trace, ...range, leftOut, link, notes };
  const bytes = utf8(JSON.stringify(says, undefined, 2));
  const names = request.withoutTexts === true ? [] : await namesOf(context);
  return yield* packZip([textMember(FINDING, bytes), ...names, ...members], (done) => {
    signal?.throwIfAborted();
    onProgress?.(Math.min(1, done / cut.bytes));
  });
}

function textMember(path: string, bytes: Uint8Array<ArrayBuffer>): ZipMember {
  return { path, open: () => Promise.resolve(ok(memorySource(path, bytes))) };
}

/** Names of the trace's frames and locks from the files of its programs, which are not exported. */
async function namesOf(context: QueryContext): Promise<ZipMember[]> {
  const { trace, layers } = context;
  for (const { tables } of layers?.info('stack')?.hosts ?? []) await trace.frameNames(tables);
  for (const { tables } of layers?.info('lock')?.hosts ?? []) await trace.lockSymbols(tables);
  const used = await trace.usedSymbols();
  return used.length === 0 ? [] : [textMember(FINDING_SYMBOLS, utf8(keptText(used)))];
}

const OTHER_TIMES: Fault = {
  code: 'unsupported',
  place: {},
  expected: 'a part whose times are those of the whole trace',
  found:
    'a part that begins with another event: its packets are not in order, or several of its files have one name',
};

function tooLarge(bytes: number): Fault {
  return {
    code: 'over-limit',
    place: {},
    expected: `a part of at most ${MOST_BYTES} bytes`,
    found: `${bytes} bytes`,
  };
}

/** Members in order of path. Files without a folder get one, as files at the top of an archive are no trace. */
function membersOf(cut: Cut, open: SourceOpener, withoutTexts: boolean): ZipMember[] {
  const folder = cut.metadata.every(({ path }) => path.includes('/')) ? '' : 'trace/';
  const members = withoutTexts ? maskedMembers(cut, open) : wholeMembers(cut, open);
  return members
    .map(({ path, ...member }) => ({ ...member, path: folder + path }))
    .sort((a, b) => compare(a.path, b.path));
}

function wholeMembers({ metadata, files }: Cut, open: SourceOpener): ZipMember[] {
  const whole = metadata.map((ref): ZipMember => ({ path: ref.path, open: () => open(ref) }));
  const cut = files.map((file): ZipMember => {
    return { path: file.source.path, open: () => openCut(file, open) };
  });
  return [...whole, ...cut];
}

async function openCut({ source, pieces }: CutFile, open: SourceOpener): Promise<Result<ByteSource>> {
  const opened = await open(source);
  return opened.ok ? ok(joinedSource(opened.value, pieces)) : opened;
}

/** Opens the experiment as the recipient will. */
async function openMembers(members: readonly ZipMember[]): Promise<Experiment> {
  const byPath = new Map(members.map((member) => [member.path, member]));
  const refs: SourceRef[] = [];
  for (const { path, open } of members) {
    const source = await open();
    // Members that cannot be read are left out here, where only times are compared; packing reports them as a fault.
    if (!source.ok) continue;
    const { size } = source.value;
    await source.value.close?.();
    refs.push({ kind: 'memory', path, size, bytes: new Uint8Array(0) });
  }
  return openExperiment(refs, ({ path }) => {
    const member = byPath.get(path);
    return member?.open() ?? Promise.resolve(fail({ code: 'file-unreadable', place: { file: path } }));
  });
}

/** Whether the part has all hosts, and its display times mean the same. */
function areSameTimes(whole: Experiment, part: Experiment): boolean {
  const begins = ({ hosts }: Experiment) => hosts.map((host) => host.baseNs + BigInt(host.firstEvent));
  const [a, b] = [begins(whole), begins(part)];
  return a.length === b.length && a.every((begin, host) => begin === b[host]);
}
