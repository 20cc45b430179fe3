// The notice after a save, whose parameters are removed from the address.

import { toastParameters } from './names.ts'

export function forgetToast(): void {
  const address = new URL(location.href)
  if (!toastParameters.some((name) => address.searchParams.has(name))) return
  for (const name of toastParameters) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}
