import { randomUUID } from 'node:crypto'

// One change for each form, however often its button is pressed: the key becomes the idempotency key of the change.
export function Once() {
  return <input type="hidden" name="once" value={randomUUID()} />
}
