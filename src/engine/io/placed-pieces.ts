/** Pieces of a source of which any bytes can be read into memory that is there. */
import type { Result } from '../base/result.ts';
import type { PieceReader } from './byte-source.ts';

/**
 * @param readInto fills `into` with the bytes at `offset` and gives it back; it does not throw
 * @param close gives back what is behind them, after the last read
 */
export function placedPieces(
  from: number,
  readInto: (offset: number, into: Uint8Array) => Promise<Result<Uint8Array>>,
  close?: () => Promise<void>,
): PieceReader {
  let at = from;
  let underWay: Promise<unknown> = Promise.resolve();
  return {
    next(length, memory) {
      const piece = readInto(at, new Uint8Array(memory, 0, length));
      at += length;
      underWay = Promise.all([underWay, piece]);
      return piece;
    },
    close() {
      // What was asked for has come: that a handle does not close takes nothing from it.
      if (close !== undefined) underWay.then(close).catch(() => undefined);
    },
  };
}
