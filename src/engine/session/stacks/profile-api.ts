/** What is asked about profiles, and answered. Types only. */
import type { Profile } from '../../stacks/profile.ts';
import type { TimeRange } from '../range.ts';

export interface ProfileRequest {
  /** Id of a thread's row. */
  readonly row: string;
  /** Default: the life of the thread. */
  readonly range?: TimeRange;
  /** The running time of the thread, or all the time of its active path. */
  readonly of: 'thread' | 'path';
  /** Names of C++ and Rust stay as they are in symbol tables. */
  readonly isMangled?: boolean;
}

export interface ProfileAnswer extends Profile, TimeRange {}
