/** A class as others see it: they read its signals, and write those of some names. */
import type { ReadonlySignal } from '@preact/signals';

export type Watched<Class, Written extends keyof Class = never> = {
  readonly [Name in keyof Class]: Name extends Written
    ? Class[Name]
    : Class[Name] extends ReadonlySignal<infer Value>
      ? ReadonlySignal<Value>
      : Class[Name];
};
