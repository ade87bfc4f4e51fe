/** The page's side of the session: see engine/session/api.ts. */
export type * from '../engine/session/api.ts';
export type * from '../engine/session/path-api.ts';
export type * from '../engine/session/overlay-api.ts';
