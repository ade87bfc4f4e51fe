/** A class whose signals are read-only for others, except those named. */
import type { ReadonlySignal } from '@preact/signals';

export type Watched<Class, Written extends keyof Class = never> = {
  readonly [Name in keyof Class]: Name extends Written
    ? Class[Name]
    : Class[Name] extends ReadonlySignal<infer Value>
      ? ReadonlySignal<Value>
      : Class[Name];
};
