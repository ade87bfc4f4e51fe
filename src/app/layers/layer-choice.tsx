/** A line of a dialog: something that a layer may show. */
import { visibleText } from '../format/text.ts';

interface LayerChoiceProps {
  readonly isShown: boolean;
  /** It cannot be changed. */
  readonly isFixed: boolean;
  readonly name: string;
  readonly facts: string;
  /** The events that it is made of. */
  readonly events: string;
  onToggle(): void;
}

/** An entry of a list of class `layer-choices`. */
export function LayerChoice({ isShown, isFixed, name, facts, events, onToggle }: LayerChoiceProps) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={isShown} disabled={isFixed} onChange={onToggle} />
        <span class="layer-choice-name">{visibleText(name)}</span>
        <span class="layer-choice-facts faint">{facts}</span>
        <span class="layer-choice-events mono muted">{visibleText(events)}</span>
      </label>
    </li>
  );
}
