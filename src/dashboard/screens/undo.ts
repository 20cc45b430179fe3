// *Undo* of a toast and of the list of changes.

import { keyIn } from '../form.ts'
import { attempt, type Posted, type Screen } from '../screen.ts'
import { done, refusedBy } from '../toast.ts'

export const undo: Screen = {
  path: 'undo',
  name: 'dashboard undo',
  place: 'developers',
  needs: 'undoAdminChange',
  async post(posted) {
    const changeId = posted.form.get('change') ?? ''
    const back = ownAddress(posted)
    const outcome = await attempt(
      posted.ask('undoAdminChange', { path: { changeId }, body: {}, key: keyIn(posted.form) }),
    )
    return 'refusal' in outcome ? refusedBy(back, outcome.refusal) : done(back, 'done.undone')
  },
}

// Only an address of this shop and mode.
export function ownAddress({ form, to }: Posted, otherwise = to('home')): string {
  const back = form.get('back') ?? ''
  return back.startsWith(to('')) && /^[\w\-/?=&%.+~]{1,500}$/.test(back) ? back : otherwise
}
