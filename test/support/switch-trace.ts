/**
 * Small kernel traces of switches with whatever times and names, 64 bits a time and nothing checked: what a tracer that
 * counts wrong, or somebody with bad intentions, would write.
 */
import type { TraceFiles } from './ctf-writer/trace-writer.ts';

interface WrittenSwitch {
  /** Cycles. */
  readonly time: bigint;
  readonly prev: number;
  readonly next: number;
  readonly prevName?: string;
  readonly nextName?: string;
}

export interface SwitchTrace {
  /** Hz. */
  readonly frequency?: number;
  readonly hostname?: string;
  /** Files of one packet each; its begin is 0. */
  readonly streams: readonly {
    readonly cpu: number;
    /** Cycles. */
    readonly end: bigint;
    readonly switches: readonly WrittenSwitch[];
  }[];
}

const NAME_BYTES = 16;
const HEAD_BYTES = 52;
const EVENT_BYTES = 68;

export function switchTrace({ frequency = 1e9, hostname = 'host', streams }: SwitchTrace): TraceFiles {
  const metadata = new TextEncoder().encode(metadataOf(frequency, hostname));
  return new Map([
    ['metadata', metadata],
    ...streams.map((stream, i) => [`ch_${i}`, packetOf(stream)] as const),
  ]);
}

function metadataOf(frequency: number, hostname: string): string {
  return `/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { hostname = "${hostname.replace(/["\\]/g, '\\$&')}"; domain = "kernel"; sysname = "Linux"; tracer_name = "lttng-modules"; };
clock { name = "monotonic"; freq = ${frequency}; offset_s = 0; offset = 0; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;
stream {
  id = 0;
  event.header := struct { uint32_t id; time_t timestamp; };
  packet.context := struct {
    time_t timestamp_begin; time_t timestamp_end; uint64_t content_size; uint64_t packet_size;
    uint64_t events_discarded; uint32_t cpu_id;
  };
};
event {
  name = "sched_switch"; id = 0; stream_id = 0;
  fields := struct {
    char_t _prev_comm[${NAME_BYTES}]; int32_t _prev_tid; int32_t _prev_prio; uint64_t _prev_state;
    char_t _next_comm[${NAME_BYTES}]; int32_t _next_tid; int32_t _next_prio;
  };
};
`;
}

function packetOf({ cpu, end, switches }: SwitchTrace['streams'][number]): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + EVENT_BYTES * switches.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xc1fc1fc1, true);
  view.setBigUint64(16, end, true);
  view.setBigUint64(24, BigInt(8 * bytes.length), true);
  view.setBigUint64(32, BigInt(8 * bytes.length), true);
  view.setUint32(48, cpu, true);
  switches.forEach(({ time, prev, next, prevName, nextName }, i) => {
    const at = HEAD_BYTES + EVENT_BYTES * i;
    view.setBigUint64(at + 4, time, true);
    setName(bytes, at + 12, prevName ?? `t${prev}`);
    view.setInt32(at + 28, prev, true);
    view.setUint32(at + 36, 1, true);
    setName(bytes, at + 44, nextName ?? `t${next}`);
    view.setInt32(at + 60, next, true);
  });
  return bytes;
}

function setName(bytes: Uint8Array, at: number, name: string): void {
  bytes.set(new TextEncoder().encode(name).subarray(0, NAME_BYTES), at);
}
