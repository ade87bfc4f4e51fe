/** Reads the packets of a Perfetto trace in order, including compressed ones. */
import { Unzlib } from 'fflate';
import { Decompress } from 'fzstd';
import type { Fault } from '../../base/fault.ts';
import { joinBytes } from '../../base/byte-arrays.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { TRACE, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import { byteBudget, damaged, type ImportRun } from '../import-run.ts';
import { Message } from './wire.ts';

/** Most bytes of a packet: it may hold all events of a CPU. */
const MOST_PACKET_BYTES = 256 * 1024 * 1024;
/** Most bytes that a compressed packet unpacks to; Perfetto packs less than 512 KB at once. */
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Bytes that are unpacked at once. */
const PUSHED_BYTES = 4096;
/** Bytes of a packet's field and type, and of the longest size. */
const HEAD_BYTES = 1 + 10;
/** First byte of every packet: its field, with the type of a message. */
const PACKET_TAG = (TRACE.packet << 3) | 2;

/** @param byte of the file where the packet, or the one that it was packed in, begins */
type OnPacket = (packet: Message, byte: number) => void;

/** Reads all packets that are complete. */
export async function readPackets(
  run: ImportRun,
  onPacket: OnPacket,
  onFault: (fault: Fault) => void,
): Promise<void> {
  const { source } = run;
  const take = unpacker(source, onPacket, onFault);
  let wanted = HEAD_BYTES;
  await run.read(
    { source, from: 0, to: source.size },
    {
      take: (bytes, byte) => {
        for (let at = 0; ; at += wanted) {
          wanted = Math.min(HEAD_BYTES, source.size - byte - at);
          if (wanted === 0 || at + wanted > bytes.length) return at;
          const packet = readHead(source, bytes, at, byte);
          if ('code' in packet) return packet;
          wanted = packet.at + packet.number - at;
          if (at + wanted > bytes.length) return at;
          take(new Message(bytes, packet.at, at + wanted), byte + at);
        }
      },
      needed: () => wanted,
    },
  );
}

/** Reads the size of a packet. @param byte of the file where the bytes begin */
function readHead({ name, size }: ByteSource, bytes: Uint8Array, at: number, byte: number): Message | Fault {
  const packet = byte + at;
  if (bytes[at] !== PACKET_TAG) return damaged(name, packet, 'a packet', `the byte ${bytes[at]}`);
  const head = new Message(bytes, at + 1);
  if (!head.varint()) return damaged(name, packet, 'the size of a packet', 'a number without an end');
  const there = size - byte - head.at;
  if (head.number > there) {
    const expected = `a packet of ${head.number} bytes`;
    return { code: 'truncated', place: { file: name, byte: packet }, expected, found: `${there} bytes` };
  }
  if (head.number > MOST_PACKET_BYTES)
    return damaged(name, packet, `a packet of at most ${MOST_PACKET_BYTES} bytes`, `${head.number} bytes`);
  return head;
}

/** Passes packets on, unpacking compressed ones. */
function unpacker(source: ByteSource, onPacket: OnPacket, onFault: (fault: Fault) => void): OnPacket {
  let left = byteBudget(source);
  const unpack = ({ bytes, from, to }: Message, isZstd: boolean, byte: number): void => {
    if (left < 0) return;
    const pieces: Uint8Array[] = [];
    let size = 0;
    const take = (piece: Uint8Array): void => {
      size += piece.length;
      left -= piece.length;
      if (size > MOST_UNPACKED_BYTES || left < 0) throw new Error('more than a recording would unpack to');
      pieces.push(piece.slice());
    };
    try {
      const stream = isZstd ? new Decompress(take) : new Unzlib(take);
      // In small pieces, so that a bomb is given up before it takes memory.
      for (let at = from; at < to; at += PUSHED_BYTES) {
        const end = Math.min(to, at + PUSHED_BYTES);
        stream.push(bytes.slice(at, end), end === to);
      }
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      onFault(damaged(source.name, byte, 'compressed packets', found));
    }
    const packets = new Message(joinBytes(pieces));
    while (packets.next()) if (packets.field === TRACE.packet) onPacket(packets.message, byte);
    if (packets.isDamaged)
      onFault(damaged(source.name, byte, 'compressed packets', 'a packet that does not end'));
  };
  return (packet, byte) => {
    const { at } = packet;
    let isPacked = false;
    while (packet.next()) {
      if (packet.field !== TRACE_PACKET.compressed && packet.field !== TRACE_PACKET.zstdCompressed) continue;
      isPacked = true;
      unpack(packet, packet.field === TRACE_PACKET.zstdCompressed, byte);
    }
    if (isPacked) return;
    packet.at = at;
    packet.isDamaged = false;
    onPacket(packet, byte);
  };
}

const PACKETS = namesOf(`
  4 inode_file_map 5 chrome_events 7 sys_stats 9 process_stats 33 trace_config 34 ftrace_stats 35
  trace_stats 36 synchronization_marker 37 profile_packet 38 battery 39 android_log 40 power_rails 46
  trigger 47 packages_list 48 chrome_benchmark_metadata 49 perfetto_metatrace 51 chrome_metadata 52
  gpu_counter_event 53 gpu_render_stage_event 54 streaming_profile_packet 56 heap_graph 57
  graphics_frame_event 61 module_symbols 62 vulkan_memory_event 63 gpu_log 64 deobfuscation_mapping 65
  vulkan_api_event 67 cpu_info 68 smaps_packet 69 service_event 70 initial_display_state 71
  gpu_mem_total_event 72 extension_descriptor 73 memory_tracker_snapshot 74 streaming_allocation 75
  streaming_free 76 frame_timeline_event 77 android_energy_estimation_breakdown 78 ui_state 82
  translation_table 83 android_game_intervention_list 84 statsd_atom 86 android_system_property 88
  network_packet 89 trace_uuid 90 track_event_range_of_interest 91 entity_state_residency 92
  network_packet_bundle 95 etw_events 99 v8_js_code 100 v8_internal_code 101 v8_wasm_code 102
  v8_reg_exp_code 103 v8_code_move 107 remote_clock_sync 109 chrome_trigger 112 winscope_extensions 115
  kernel_wakelock_data 117 generic_kernel_task_state_event 118 generic_kernel_cpu_freq_event 119
  cpu_per_uid_data 120 generic_kernel_task_rename_event 122 generic_kernel_process_tree 124
  trace_provenance 126 trace_attributes 128 gpu_info 129 generic_gpu_frequency_event 130 interrupt_info
  132 journald_event 134 concurrent_session_event 135 stack_sample
`);

/** Packets that describe only the recording itself. */
const OF_RECORDER = new Set([33, 34, 35, 36, 69, 89, 124, 126, 134]);

/** Name of a kind of packets; undefined: their absence does not matter. */
export function packetName(field: number): string | undefined {
  if (OF_RECORDER.has(field)) return undefined;
  const name = PACKETS.get(field);
  return name === undefined ? `of type ${field}` : `${name} (type ${field})`;
}

/** First numbers of groups of ftrace events with the subsystem of most of them. */
const FTRACE = [
  ...namesOf(`
  27 i2c 31 smbus 35 lowmemorykiller 38 sync 41 ext4 46 vmscan 50 binder 56 workqueue 60 regulator 67
  cgroup 76 mdss 97 filemap 99 compaction 115 block 134 ext4 243 f2fs 274 kmem 316 fence 320 clk 323
  binder 326 ? 368 kvm 404 ? 437 funcgraph 439 virtio 443 ? 445 trusty 465 ?
`),
];

/** Name of an event of ftrace by its number. */
export function ftraceName(number: number): string {
  const system = FTRACE.findLast(([from]) => from <= number)?.[1] ?? '?';
  return `of ftrace${system === '?' ? '' : `, ${system}`} (type ${number})`;
}

function namesOf(text: string): ReadonlyMap<number, string> {
  const words = text.trim().split(/\s+/);
  return new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[Number(word), words[i + 1]] as const] : [])));
}
