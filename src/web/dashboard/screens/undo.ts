// Handles *Undo*, the button in toasts and in the list of changes.

import { randomUUID } from 'node:crypto'
import type { ChangeSubject } from '../../../contract/words.ts'
import { readKey } from '../form.ts'
import { catchRefusal, type PostedScreen, redirectToPassword, type Screen } from '../screen.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'

// Subjects whose changes ask for the password again. Undoing them asks for it, too.
const sensitive: readonly ChangeSubject[] = ['payment_method']

export const undoScreen: Screen = {
  path: 'undo',
  name: 'dashboard undo',
  place: 'settings',
  needs: 'undoAdminChange',
  async post(posted) {
    const changeId = posted.form.get('change') ?? ''
    const back = ownShopPath(posted)
    if (!posted.isConfirmed) {
      const tried = await catchRefusal(
        posted.ask('undoAdminChange', { path: { changeId }, body: { dryRun: true }, key: randomUUID() }),
      )
      if ('refusal' in tried) return redirectWithRefusal(back, tried.refusal)
      if (tried.reply.data.changes.some(({ subject }) => sensitive.includes(subject.type)))
        return redirectToPassword(posted.to('settings/changes'))
    }
    const outcome = await catchRefusal(
      posted.ask('undoAdminChange', { path: { changeId }, body: {}, key: readKey(posted.form) }),
    )
    return 'refusal' in outcome ? redirectWithRefusal(back, outcome.refusal) : redirectWithToast(back, 'done.undone')
  },
}

// Returns the posted path if it belongs to this shop and mode, otherwise `otherwise`.
export function ownShopPath({ form, to }: PostedScreen, otherwise = to('home')): string {
  const back = form.get('back') ?? ''
  return back.startsWith(to('')) && /^[\w\-/?=&%.+~]{1,500}$/.test(back) ? back : otherwise
}
