/** Functions of call stacks, as the search finds them. */
import type { ThingGroup } from '../commands/thing.ts';
import { hasStacks } from '../experiment/stack-rows.ts';
import { formatDuration } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import { FUNCTION_CHOICE, PROFILE_TAB, type ProfilePage, SCOPE_CHOICE } from './profile-question.ts';

export const FUNCTIONS: ThingGroup<ProfilePage> = {
  title: 'Functions',
  async things({ app }) {
    if (!hasStacks(app.experiment.rows.peek())) return [];
    const profile = await app.session.ask('profile', { of: 'all', row: '', withInlined: true });
    const isSampled = profile?.measure === 'samples';
    return (profile?.functions ?? []).map(({ name, total, totalSamples }) => ({
      name,
      detail: isSampled ? plural(totalSamples, 'sample') : formatDuration(total),
      open: () => {
        app.choices.choose(SCOPE_CHOICE, 'all');
        app.choices.choose(FUNCTION_CHOICE, name);
        app.drawer.show(PROFILE_TAB);
      },
    }));
  },
};
