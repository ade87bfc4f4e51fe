/**
 * A CPU's trace buffer in discard mode, as LTTng's: while no sub-buffer is free events are lost, either while the full
 * packet stays open (it ends when the next can begin) or in a gap between two packets. A packet's counter of discarded
 * events is that of its end. In overwrite mode whole packets vanish; only their sequence numbers tell.
 */
import type { TraceModel } from '../../../src/engine/ctf/model.ts';
import { PacketWriter, type EventToWrite, type WrittenPacket } from '../ctf-writer/packet-writer.ts';
import type { Cpu, Machine } from './machine.ts';

export class TraceBuffer {
  readonly packets: WrittenPacket[] = [];
  readonly #machine: Machine;
  readonly #cpu: Cpu;
  readonly #model: TraceModel;
  #writer: PacketWriter | undefined;
  /** The open packet will be overwritten before anybody reads it. */
  #doomed = false;
  #sequence = 0n;
  #discarded = 0n;
  /** Counter of the last packet that was kept, and its end. */
  #reported = 0n;
  #previousEnd = 0;
  #lastEvent: number | undefined;
  /** No sub-buffer is free until then. */
  #stalledUntil = 0;
  #full = false;

  constructor(machine: Machine, cpu: Cpu, model: TraceModel) {
    this.#machine = machine;
    this.#cpu = cpu;
    this.#model = model;
    this.#open();
  }

  /** Whether the event will be read. */
  record(event: EventToWrite): boolean {
    const { now, settings, random } = this.#machine;
    if (now < this.#stalledUntil) {
      this.#discarded++;
      return false;
    }
    if (this.#full) this.#turn();
    if (this.#writer === undefined) this.#open();
    if (this.#add(event)) return !this.#doomed;
    if (this.packets.length > 0 && !this.#doomed && random.chance(settings.losses)) {
      this.#stall();
      return false;
    }
    this.#turn(random.chance(settings.lostPackets) && !this.#doomed);
    this.#add(event);
    return !this.#doomed;
  }

  /** Ends the packet before it is full, as LTTng's switch timer and `lttng stop` do. */
  flush(): void {
    if (this.#machine.now < this.#stalledUntil || this.#writer === undefined) return;
    this.#turn();
  }

  finish(): void {
    this.#stalledUntil = 0;
    const unreported = this.#doomed || (this.#writer === undefined && this.#discarded > this.#reported);
    if (this.#writer !== undefined) this.#close();
    if (!unreported) return;
    this.#open();
    this.#close();
  }

  #add(event: EventToWrite): boolean {
    const { now, settings } = this.#machine;
    if (!this.#writer?.add(event, settings.packetBytes * 8)) return false;
    this.#lastEvent = now;
    return true;
  }

  /** The first lost event: what it would have told is unknown from the last recorded one, or from now, on. */
  #stall(): void {
    const { now, random, truth } = this.#machine;
    this.#stalledUntil = now + random.between(20_000, 3_000_000);
    if (random.chance(0.4)) {
      this.#close();
      truth.lost(this.#cpu, now);
    } else {
      this.#full = true;
      truth.lost(this.#cpu, this.#lastEvent ?? this.#previousEnd);
    }
    this.#discarded++;
  }

  #turn(doomed = false): void {
    this.#close();
    this.#open(doomed);
  }

  #open(doomed = false): void {
    const { now, truth } = this.#machine;
    this.#doomed = doomed;
    this.#lastEvent = undefined;
    if (doomed) truth.lost(this.#cpu, now);
    else truth.lossEnds(this.#machine, this.#cpu);
    this.#writer = new PacketWriter(this.#model, this.#model.streams[0], {
      begin: this.#machine.cycles,
      sequence: this.#sequence++,
      cpu: this.#machine.settings.disguise?.cpu(this.#cpu.index) ?? this.#cpu.index,
      streamId: BigInt(this.#cpu.index),
    });
  }

  #close(): void {
    const { now, truth } = this.#machine;
    const writer = this.#writer;
    this.#writer = undefined;
    if (writer === undefined || this.#doomed) return;
    if (this.#discarded > this.#reported) {
      if (!this.#full) truth.lost(this.#cpu, this.#lastEvent ?? this.#previousEnd);
      truth.lossEnds(this.#machine, this.#cpu);
    }
    this.#full = false;
    this.#reported = this.#discarded;
    this.#previousEnd = now;
    this.packets.push(writer.close(8, { end: this.#machine.cycles, discarded: this.#discarded }));
  }
}
