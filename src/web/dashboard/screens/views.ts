// Saves or removes a person's view of a list, then redirects to the list.

import { redirectTo, type Screen } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import { viewLists, viewNameLengthMax, viewQuery, viewQueryLengthMax } from '../views.ts'

export const savedViewScreen: Screen = {
  path: 'views',
  name: 'dashboard saved view',
  place: null,
  needs: null,
  async post(posted) {
    const { form, to, shop } = posted
    const list = viewLists.find((one) => one === form.get('list'))
    if (!list) return redirectTo(to('home'))
    const query = viewQuery(new URLSearchParams((form.get('query') ?? '').slice(0, viewQueryLengthMax)))
    const back = query === '' ? to(list) : `${to(list)}?${query}`
    const name = (form.get('name') ?? '')
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, viewNameLengthMax)
    if (name === '') return redirectTo(back)
    const account = await posted.account()
    if (form.get('do') === 'remove') {
      await account.removeView(shop.id, { list, name })
      return redirectWithToast(back, 'done.viewRemoved')
    }
    const isSaved = await account.saveView(shop.id, { list, name, query })
    return redirectWithToast(back, isSaved ? 'done.viewSaved' : 'done.viewsFull')
  },
}
