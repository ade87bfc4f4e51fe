/** Records of perf other than samples (`PERF_RECORD_…` of `perf_event.h`): which are left out, and which become events. */
import { hexText } from '../../base/byte-arrays.ts';
import type { OutputField, StreamOutput } from '../ctf-output.ts';

/** `type` of records (tools/lib/perf/include/perf/event.h). */
export const RECORD = {
  mmap: 1,
  lost: 2,
  comm: 3,
  exit: 4,
  fork: 7,
  sample: 9,
  mmap2: 10,
  lostSamples: 13,
  switch: 14,
  switchCpuWide: 15,
  kernelSymbol: 17,
  attribute: 64,
  tracingData: 66,
  buildId: 67,
  finishedRound: 68,
  idIndex: 69,
  auxTrace: 71,
  eventUpdate: 78,
  feature: 80,
  compressed: 81,
  compressed2: 83,
} as const;

/** Records that are left out, by perf's names. */
export const LEFT_OUT: Readonly<Record<number, string>> = {
  5: 'THROTTLE',
  6: 'UNTHROTTLE',
  8: 'READ',
  11: 'AUX',
  12: 'ITRACE_START',
  14: 'SWITCH',
  15: 'SWITCH_CPU_WIDE',
  16: 'NAMESPACES',
  18: 'BPF_EVENT',
  19: 'CGROUP',
  20: 'TEXT_POKE',
  21: 'AUX_OUTPUT_HW_ID',
  70: 'AUXTRACE_INFO',
  71: 'AUXTRACE (data of a processor trace or of SPE, which are not decoded)',
  72: 'AUXTRACE_ERROR',
};
/** Records that only other commands of perf need: ids of counters, maps, statistics. */
export const FOR_PERF = new Set([65, 73, 74, 75, 76, 77, 79, 82]);

/** A record that becomes an event. */
interface OtherRecord {
  readonly name: string;
  readonly fields: readonly OutputField[];
  /** Size of its body, bytes; a text follows if its last field is one. */
  readonly bytes: number;
  readonly write: (out: StreamOutput, record: Body) => void;
}

interface Body {
  readonly view: DataView;
  /** Its offset, and the offset of the record's process and thread. */
  readonly at: number;
  readonly own: number;
  /** Bits of the record's header. */
  readonly misc: number;
  readonly isLittle: boolean;
}

/** Process and thread of a record without them: -1 each. */
const NOT_TOLD = 0xffff_ffff_ffff_ffffn;

const fields = (form: OutputField['form'], ...names: readonly string[]) =>
  names.map((name) => ({ name, form }));
const text = (name: string): OutputField => ({ name, form: 'text' });
const copied =
  (bytes: number): OtherRecord['write'] =>
  (out, { view, at }) =>
    out.copyWords(view, at, at + bytes);

const LIFE = {
  fields: [...fields('u32', 'pid', 'ppid', 'tid', 'ptid'), ...fields('u64', 'time')],
  bytes: 24,
  write: copied(24),
};
const MAP = [...fields('u32', 'pid', 'tid'), ...fields('u64', 'start', 'length', 'offset'), text('filename')];

const OTHERS: Readonly<Record<number, OtherRecord>> = {
  [RECORD.comm]: {
    name: 'perf_comm',
    fields: [...fields('u32', 'pid', 'tid', 'exec'), text('comm')],
    bytes: 8,
    write(out, record) {
      copied(8)(out, record);
      // The name is that of a program being executed; perf's own conversion leaves it out.
      out.u32((record.misc >> 13) & 1);
    },
  },
  [RECORD.exit]: { name: 'perf_exit', ...LIFE },
  [RECORD.fork]: { name: 'perf_fork', ...LIFE },
  [RECORD.mmap]: { name: 'perf_mmap', fields: MAP, bytes: 32, write: copied(32) },
  [RECORD.mmap2]: { name: 'perf_mmap2', fields: MAP, bytes: 64, write: copied(32) },
  // A function that the kernel generated, such as a BPF program, as a mapping with its name.
  [RECORD.kernelSymbol]: {
    name: 'perf_ksymbol',
    fields: MAP,
    bytes: 16,
    write(out, { view, at, isLittle }) {
      out.u64(NOT_TOLD);
      out.copyWords(view, at, at + 8);
      out.halves(0, view.getUint32(at + 8, isLittle));
      out.halves(0, 0);
    },
  },
};

export function isSwitch(type: number): boolean {
  return type === RECORD.switch || type === RECORD.switchCpuWide;
}

/** The event of a SWITCH or SWITCH_CPU_WIDE, which also has the other thread. */
function switchRecord(name: string, isWide: boolean): OtherRecord {
  return {
    name,
    fields: fields('i32', 'perf_pid', 'perf_tid', 'next_prev_pid', 'next_prev_tid'),
    bytes: isWide ? 8 : 0,
    write(out, { view, at, own }) {
      out.copyWords(view, own, own + 8);
      if (isWide) out.copyWords(view, at, at + 8);
      else out.u64(NOT_TOLD);
    },
  };
}
/** Records of switches by bits 13 and 14 of `misc`: the thread leaves its CPU; it is still runnable. */
const SWITCHES = [false, true].map((isWide) =>
  ['perf_switch_in', 'perf_switch_out', 'perf_switch_in', 'perf_switch_preempted'].map((name) =>
    switchRecord(name, isWide),
  ),
);

/** The event of a record; undefined: it becomes none. */
export function otherRecord(type: number, misc: number): OtherRecord | undefined {
  return isSwitch(type) ? SWITCHES[type - RECORD.switch][(misc >> 13) & 3] : OTHERS[type];
}

/** Most bytes of a build id (`BUILD_ID_SIZE`). */
export const BUILD_ID_BYTES = 20;

/**
 * Build id of the file that a record maps, in hexadecimal digits: MMAP2 may have it in place of device and inode.
 * @param known build id of the path otherwise
 */
export function buildOf(type: number, misc: number, body: Uint8Array, known?: string): string | undefined {
  if (type !== RECORD.mmap && type !== RECORD.mmap2) return undefined;
  // PERF_RECORD_MISC_MMAP_BUILD_ID: the id's size, three unused bytes, and the id.
  const hasOwn = type === RECORD.mmap2 && ((misc >> 14) & 1) === 1;
  const size = hasOwn ? Math.min(body[32], BUILD_ID_BYTES) : 0;
  return size === 0 ? known : hexText(body.subarray(36, 36 + size));
}

/** Whether a record states that a program is executed. */
export function isExecution(type: number, misc: number): boolean {
  return type === RECORD.comm && ((misc >> 13) & 1) === 1;
}
