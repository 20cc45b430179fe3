// The toast after a save. Its parameters are removed from the URL.

import { toastParameters } from './names.ts'

export function forgetToast(): void {
  const address = new URL(location.href)
  if (!toastParameters.some((name) => address.searchParams.has(name))) return
  for (const name of toastParameters) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}
