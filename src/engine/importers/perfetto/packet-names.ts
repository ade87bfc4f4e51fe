/**
 * Names of what is left out, by the numbers of their fields in Perfetto's schemas (`trace_packet.proto`,
 * `ftrace_event.proto`).
 */

/** Packets. */
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
/** Packets that tell of the recording alone, not of what was recorded. */
const OF_RECORDER = new Set([33, 34, 35, 36, 69, 89, 124, 126, 134]);

/** Name of a kind of packets; undefined: nobody misses them. */
export function packetName(field: number): string | undefined {
  if (OF_RECORDER.has(field)) return undefined;
  const name = PACKETS.get(field);
  return name === undefined ? `of type ${field}` : `${name} (type ${field})`;
}

/** Events of ftrace from a number on, up to the next one: the subsystem of most of them. */
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
