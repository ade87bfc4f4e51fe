import type { FilterProblem, TextPlace } from './filter.ts';

/** Leaves the descent through a filter where something is wrong with it. `parseFilter` and `resolveFilter` catch it. */
export class Refusal extends Error {
  readonly problem: FilterProblem;

  constructor({ at, length }: TextPlace, message: string) {
    super(message);
    this.problem = { at, length, message };
  }
}
