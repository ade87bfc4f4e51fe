/** Choices of the dialog of plots, and needs of a plot that the user defines. Pure. */
import { MOST_PLOTS, sourcesOf, type PlotDefinition } from '../../engine/layers/plots/definition.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { PlotInfo } from '../../engine/layers/plots/layer.ts';
import { plural } from '../format/text.ts';
import { type Choice, keyOf } from '../layers/choices.ts';

/** "CPU … frequency": what distinguishes its rows is not known here. */
export function plotTitle({ name }: PlotDefinition): string {
  return name.replace('{}', () => '…');
}

/** Names of the events that have its numbers. */
export function plotEvents(definition: PlotDefinition): string {
  return [...new Set(sourcesOf(definition).flatMap(({ events }) => events))].join(', ');
}

/** Number of events of a suggested plot, in words. */
export function plotFacts(
  definition: PlotDefinition,
  { suggestions }: Pick<PlotInfo, 'suggestions'>,
): string {
  const key = keyOf(definition);
  const found = suggestions.find((suggestion) => keyOf(suggestion.definition) === key);
  return found === undefined ? '' : plural(found.events, 'event');
}

/** Why a field of an event cannot be plotted; undefined: it can, if it is a number. */
export function fieldMistake(
  { events: [event], field }: PlotDefinition,
  shapes: readonly EventShape[],
  choices: readonly Choice<PlotDefinition>[],
): string | undefined {
  if (event === '' || field === '') return 'Name an event and a field of it.';
  if (!shapes.some(({ name }) => name === event)) return `No event of this trace is called ${event}.`;
  if (choices.filter(({ isShown }) => isShown).length >= MOST_PLOTS)
    return `No more than ${MOST_PLOTS} plots are shown.`;
  return undefined;
}
