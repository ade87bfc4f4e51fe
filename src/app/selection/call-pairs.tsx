/** A system call by its events: arguments, file, result. */
import type { EventRow } from '../../engine/protocol/events.ts';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { type EventKind, isKind } from '../../engine/trace/event-kinds.ts';
import { useApp } from '../context/app-context.ts';
import { Pair } from '../controls/pair.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { errnoName } from '../format/errno.ts';
import { formatCount } from '../format/numbers.ts';
import { fieldsText, visibleText } from '../format/text.ts';

/** Number of events read around a time, more than a CPU records at one time. */
const NEAR = 16;
/** Greatest number of an error, of 64-bit and 32-bit kernels. */
const MOST_ERRNO = 4095;

interface CallPairsProps {
  /** Row of the thread, and a time within the call. */
  readonly interval: IntervalInfo;
}

interface RecordedCall {
  /** Payloads of the events; undefined: not recorded, or their files are not there. */
  readonly entry: string | undefined;
  readonly exit: string | undefined;
  readonly files: readonly string[];
}

/** Details of an interval. Needs the interval as its key, since it asks once. */
export function CallPairs({ interval }: CallPairsProps) {
  const { session, experiment } = useApp();
  const { row, from } = interval;
  const recorded = useLiveAnswer(
    () => experiment.hasFiles.value,
    (hasFiles) => (hasFiles ? recordedCall(session, row, from) : undefined),
  ).value;
  if (recorded === undefined) return null;
  return (
    <>
      {recorded.entry !== undefined && (
        <Pair name="Arguments">
          <span class="mono">{visibleText(fieldsText(recorded.entry)) || 'none'}</span>
        </Pair>
      )}
      {recorded.files.length > 0 && (
        <Pair name={recorded.files.length > 1 ? 'Files' : 'File'}>
          <span class="mono">{recorded.files.map(visibleText).join(', ')}</span>
        </Pair>
      )}
      <Pair name="Returned">
        {recorded.exit === undefined ? 'not recorded' : <Returned payload={recorded.exit} />}
      </Pair>
    </>
  );
}

function Returned({ payload }: { readonly payload: string }) {
  const value = numberField(payload, 'ret');
  const rest = visibleText(fieldsText(withoutField(payload, 'ret')));
  const isError = value !== undefined && value < 0 && value >= -MOST_ERRNO;
  return (
    <span class="mono">
      {value === undefined ? '' : isError ? `${errnoName(-value)} (${value})` : formatCount(value)}
      {rest !== '' && <span class="muted">{value === undefined ? rest : `, ${rest}`}</span>}
    </span>
  );
}

async function recordedCall(
  { ask }: Pick<SessionApi, 'ask'>,
  row: string,
  timeNs: number,
): Promise<RecordedCall | undefined> {
  const call = await ask('call', { row, timeNs });
  if (call === undefined) return undefined;
  const { from, to, cpu } = call;
  const exitCpu = (await ask('interval', { row, timeNs: to }))?.cpu;
  const [, host] = row.split(':');
  const eventAt = (of: number | undefined, timeNs: number, kind: EventKind) =>
    of === undefined
      ? undefined
      : payloadAt(ask, `cpu:${host}:${of}`, timeNs, ({ name }) => isKind(kind, name));
  const [entry, exit] = await Promise.all([
    eventAt(cpu, from, 'syscall-entry'),
    eventAt(exitCpu, to, 'syscall-exit'),
  ]);
  const paths = await Promise.all(
    descriptorsOf(entry ?? '').map((fd) => ask('descriptorPath', { row, fd, from, to })),
  );
  return { entry, exit, files: paths.filter((path) => path !== undefined) };
}

/** Payload of the first event of a row at a time that `isIt` accepts; undefined: there is none. */
export async function payloadAt(
  ask: SessionApi['ask'],
  row: string,
  timeNs: number,
  isIt: (event: EventRow) => boolean,
): Promise<string | undefined> {
  const { rows } = await ask('eventRows', { filter: '', row, atNs: timeNs, first: 0, count: NEAR });
  return rows.find((event) => event.timeNs === timeNs && isIt(event))?.fields.payload;
}

/** The number of a field; undefined: there is none of that name, or it is no number. */
export function numberField(payload: string, name: string): number | undefined {
  const found = new RegExp(`[{,]"${name}":(-?\\d+)(?=[,}])`).exec(payload)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Fields of system calls that are descriptors, as LTTng and perf name them. */
const DESCRIPTORS = ['fd', 'fildes', 'oldfd', 'epfd', 'fd_in', 'fd_out', 'in_fd', 'out_fd'];

/** Descriptors among the arguments of a call, in the order of `DESCRIPTORS`, each once. @internal */
export function descriptorsOf(payload: string): readonly number[] {
  const found = DESCRIPTORS.map((name) => numberField(payload, name));
  return [...new Set(found.filter((fd) => fd !== undefined && fd >= 0))] as readonly number[];
}

/** The fields of the text without one of them. @internal */
export function withoutField(payload: string, name: string): string {
  return payload
    .replace(new RegExp(`([{,])"${name}":-?\\d+(?=[,}])`), '$1')
    .replace(/\{,/, '{')
    .replace(/,,/, ',')
    .replace(/,\}$/, '}');
}
