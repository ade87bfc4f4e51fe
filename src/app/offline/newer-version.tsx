/** Notice that a newer version of the page is ready, with a button that loads it. */
import { useSignal } from '@preact/signals';
import { Banner } from '../widgets/banner/banner.tsx';
import type { Versions } from './versions.ts';

export function NewerVersion({ versions }: { readonly versions: Versions }) {
  const isDismissed = useSignal(false);
  if (!versions.isNewerReady.value || isDismissed.value) return null;
  return (
    <div role="status">
      <Banner>
        <span>A new version of Wakepath is ready. This page goes on with its own.</span>
        <button class="link" onClick={() => versions.take()}>
          Load the new version
        </button>
        <button class="link" onClick={() => (isDismissed.value = true)}>
          Later
        </button>
      </Banner>
    </div>
  );
}
