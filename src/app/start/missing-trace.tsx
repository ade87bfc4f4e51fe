/** A link leads to a trace that this browser does not keep. */
import { Icon } from '../controls/icon.tsx';
import { visibleText } from '../format/text.ts';

export function MissingTrace({ name }: { readonly name: string }) {
  return (
    <section class="notice" role="status">
      <Icon name="search" />
      <div class="fault">
        <h3>This link shows a place in “{visibleText(name)}”</h3>
        <p>
          This browser does not keep that trace. Drop its folder here, and the place opens. Links hold no
          traces.
        </p>
      </div>
    </section>
  );
}
