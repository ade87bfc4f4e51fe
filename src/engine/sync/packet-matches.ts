/** Matches of packets that are the two ends of one, of all hosts: plain columns that can be stored. */

/** The key occurs more than once: the first sent and the first received were taken for each other. */
export const MARK_AMBIGUOUS = 1;
/** UDP has no numbers: only order distinguishes equal packets. */
export const MARK_WEAK = 2;
/** Cut or joined on the way (segmentation offload): the packet that holds the last byte. */
export const MARK_RANGE = 4;

/** Matches of one host, a row for each of its packets (`PacketRows`). */
export interface PacketMatches {
  /** Host and row of the other end; -1 none. Of a packet that arrived in pieces, the last piece. */
  readonly peerHost: Int16Array;
  readonly peer: Int32Array;
  /** MARK_*. */
  readonly marks: Uint8Array;
}

export function noMatches(length: number): PacketMatches {
  return {
    peerHost: new Int16Array(length).fill(-1),
    peer: new Int32Array(length).fill(-1),
    marks: new Uint8Array(length),
  };
}
