/**
 * Rows of one chunk → what analyses sum up of them, as their definitions in `engine/linux` do it: `IoChunkReader`,
 * `InterruptChunkReader`, `FailureChunkReader`. Has no memory of its own: rows are read where the decoder left them, and
 * tables lie in the arena behind them (`engine/analysis/compiled/row-kernel.ts`). `begin…` starts a chunk, `read…` takes
 * rows [from, to) of a packet and is false when a table is full, `lose…` says that events were lost.
 */
export { openRows } from '../rows';
export { openTexts, textAt, textCount, textEntries } from '../texts';
export * from './failures';
export * from './interrupts';
export * from './io';
