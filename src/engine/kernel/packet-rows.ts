/**
 * Network packets as the kernel of one host saw them, in the total order: who sent or received what, when, and in
 * which interrupt. `sync` matches them, `graph` follows them. Times are TimeNs of the host.
 */

/**
 * A worker of the execution graph within its host (spec 04 section 1): the row of a thread (`ThreadRows`), or the
 * interrupt worker of a CPU as -2 - CPU; -1 is nobody known.
 */
export type WorkerId = number;

export const NO_WORKER: WorkerId = -1;

export function interruptWorker(cpu: number): WorkerId {
  return -2 - cpu;
}

/** CPU of an interrupt worker. */
export function cpuOfWorker(worker: WorkerId): number {
  return -2 - worker;
}

export const PACKET_SENT = 0;
export const PACKET_RECEIVED = 1;

/** How a packet is recognised at its other end (spec 05 section 1). */
export const KEY_TCP = 0;
export const KEY_TCP_SOCKET = 1;
export const KEY_UDP = 2;

/** Words of a packet's key. Unused ones are 0. */
export const PACKET_KEY_WORDS = 8;

export interface PacketRows {
  readonly length: number;
  readonly time: Float64Array;
  /** PACKET_*. */
  readonly direction: Uint8Array;
  /** KEY_*. */
  readonly keyKind: Uint8Array;
  readonly worker: Int32Array;
  /** Serial number of the innermost interrupt, which its wake-ups have too (`SignalRows.frame`); 0 outside of any. */
  readonly frame: Int32Array;
  /**
   * PACKET_KEY_WORDS for each: source and destination address (an IPv4 address, or the index in `addresses` of
   * another), ports (source in the upper half), sequence and acknowledgement number, data offset with flags, bytes of
   * payload, and the check sum.
   */
  readonly key: Uint32Array;
  /** Addresses that are no IPv4 address, as text. */
  readonly addresses: readonly string[];
}
