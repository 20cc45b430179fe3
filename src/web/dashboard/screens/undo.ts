// *Undo* of a toast and of the list of changes.

import { randomUUID } from 'node:crypto'
import type { ChangeSubject } from '../../../contract/words.ts'
import { keyIn } from '../form.ts'
import { askAgain, attempt, type Posted, type Screen } from '../screen.ts'
import { done, refusedBy } from '../toast.ts'

// Changes of these subjects ask for the password again, so undoing them does too.
const sensitive: readonly ChangeSubject[] = ['payment_method']

export const undo: Screen = {
  path: 'undo',
  name: 'dashboard undo',
  place: 'settings',
  needs: 'undoAdminChange',
  async post(posted) {
    const changeId = posted.form.get('change') ?? ''
    const back = ownAddress(posted)
    if (!posted.isConfirmed) {
      const tried = await attempt(
        posted.ask('undoAdminChange', { path: { changeId }, body: { dryRun: true }, key: randomUUID() }),
      )
      if ('refusal' in tried) return refusedBy(back, tried.refusal)
      if (tried.reply.data.changes.some(({ subject }) => sensitive.includes(subject.type)))
        return askAgain(posted.to('settings/changes'))
    }
    const outcome = await attempt(
      posted.ask('undoAdminChange', { path: { changeId }, body: {}, key: keyIn(posted.form) }),
    )
    return 'refusal' in outcome ? refusedBy(back, outcome.refusal) : done(back, 'done.undone')
  },
}

// Returns the posted address only if it belongs to this shop and mode.
export function ownAddress({ form, to }: Posted, otherwise = to('home')): string {
  const back = form.get('back') ?? ''
  return back.startsWith(to('')) && /^[\w\-/?=&%.+~]{1,500}$/.test(back) ? back : otherwise
}
