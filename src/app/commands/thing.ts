/** Thing that the search finds besides rows: something of the trace with a name, and the way to it. */
export interface Thing {
  /** Name as the trace has it, not safe to show. */
  readonly name: string;
  /** How much there is of it: "12 345 events". */
  readonly detail: string;
  open(): void;
}

/** Things of one kind. */
export interface ThingGroup<Page> {
  /** "System calls" */
  readonly title: string;
  /** All that the trace has, the most important first. Asked whenever the search gets the focus. */
  things(page: Page): Promise<readonly Thing[]>;
}
