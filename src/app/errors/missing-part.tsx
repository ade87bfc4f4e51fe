/** A part of the page that could not be loaded, which is no mistake: why, and what to do. */
import { useEffect } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { ReloadButton } from './error-boundary.tsx';

interface MissingPartProps {
  /** Asks for it again; also done when the computer is connected again. */
  retry(): void;
}

export function MissingPart({ retry }: MissingPartProps) {
  useEffect(() => {
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [retry]);
  return (
    <>
      <span>
        This part of the page could not be loaded:{' '}
        {navigator.onLine
          ? 'the server of this page did not answer, or has another version of it by now. Try again; some browsers ask again only when the page is loaded again.'
          : 'this computer is offline. It comes when this computer is connected again.'}{' '}
        Everything else works.
      </span>{' '}
      <button class="button" onClick={retry}>
        Try again
      </button>{' '}
      {navigator.onLine && <ReloadButton />}
    </>
  );
}

/** A missing part above the page. */
export function MissingNotice({ retry }: MissingPartProps) {
  return (
    <section class="notice severe failure" role="alert">
      <Icon name="warning" />
      <MissingPart retry={retry} />
    </section>
  );
}
