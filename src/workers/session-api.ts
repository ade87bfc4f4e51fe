/** The page's side of the session: see engine/session/api.ts. */
export type * from '../engine/session/api.ts';
export type * from '../engine/session/paths/path-api.ts';
export type * from '../engine/session/overlays/overlay-api.ts';
export type * from '../engine/session/range.ts';
export type * from '../engine/session/rows/rows-api.ts';
export type * from '../engine/session/statistics/statistics-api.ts';
export type * from '../engine/session/sync-api.ts';
