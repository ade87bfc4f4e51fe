/** Requests and answers about hosts' clocks, and about machines among the hosts. Types only. */
import type { Fault } from '../base/fault.ts';
import type { DisplayNs, Times } from '../base/units.ts';
import type { GuestChoice } from '../graph/guests.ts';
import type { PairSync } from '../sync/pair-sync.ts';
import type { JoinedClock } from '../trace/types.ts';

export interface SyncRequest {
  /** The user's statements about virtual machines among the hosts. */
  readonly guests?: readonly GuestChoice[];
}

/** Deviations of packets from what is known of two clocks, for a scatter plot; at most some thousand, by time. */
export interface SyncResiduals {
  readonly timeNs: Times<DisplayNs>;
  /** Positive for packets that `from` sent, negative for those it received: their delay, where all is right. */
  readonly residualNs: Float64Array;
  /** 0: could be another packet, so that it says nothing about clocks. */
  readonly isUsed: Uint8Array;
}

/** Two hosts that packets were recorded on. Hosts are indices of `ExperimentInfo.hosts`. */
export interface SyncPairInfo extends Pick<
  PairSync,
  'matched' | 'ambiguous' | 'weak' | 'oneWay' | 'uncertaintyNs' | 'driftUncertainty'
> {
  readonly from: number;
  readonly to: number;
  /** Lines that fit: none known, offset only, one bound, both bounds; `failed`: no straight one. */
  readonly state: 'absent' | 'incomplete' | 'approximate' | 'accurate' | 'failed';
  /** ns of `to`'s clock for each of `from`'s, in the middle of the exchange; undefined without packets. */
  readonly slope?: number;
  /** Lead of `to`'s clock over `from`'s in the middle of the exchange, ns; `atNs`: when that is. */
  readonly offsetNs?: number;
  readonly atNs?: DisplayNs;
  /** Lines used one after the other: more than one where clocks were set or run unevenly. */
  readonly stretches: number;
  /** Packets received before they were sent: by the hosts' own clocks, and as shown. */
  readonly inversionsBefore: number;
  readonly inversionsAfter: number;
  readonly residuals: SyncResiduals;
}

export interface SyncHostInfo {
  readonly host: number;
  readonly name: string;
  /** Where its time comes from: `start`: not known; it begins with the experiment. */
  readonly source: 'reference' | 'packets' | 'offset' | 'start';
  /** Experiment's time for each ns of its clock, and what is added to its clock at its first event, ns. */
  readonly slope: number;
  readonly offsetNs: number;
  readonly uncertaintyNs: number;
  /** Hosts from it to the one that its time comes from, itself first. */
  readonly via: readonly number[];
}

/** A virtual machine: a process of a host, by its index. */
export interface MachineInfo {
  readonly host: number;
  readonly pid: number;
  /** Name of its process; '' not known. */
  readonly name: string;
  readonly cpus: number;
}

/** A host that may be a virtual machine of another. */
export interface GuestInfo {
  readonly guest: number;
  /** Machine that the host is; undefined: none, or not known. */
  readonly machine: MachineInfo | undefined;
  /** The user said so. */
  readonly isGiven: boolean;
  /** Machines of all other hosts. */
  readonly machines: readonly MachineInfo[];
  /** Its clock is known beside that of its host: so is what that took from its running time. */
  readonly isSynchronised: boolean;
}

export interface SyncInfo {
  readonly reference: number;
  readonly hosts: readonly SyncHostInfo[];
  readonly pairs: readonly SyncPairInfo[];
  /** Recordings that are of one host by the switches that they have in common with others of it. */
  readonly joined: readonly JoinedClock[];
  /** Hosts beside which a virtual machine runs on another one. */
  readonly guests: readonly GuestInfo[];
  /** Faults that say what is missing, with what to record. */
  readonly faults: readonly Fault[];
}
