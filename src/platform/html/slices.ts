// Renders long lists and texts in time slices. The texts of each slice are joined within the slice: joining thousands of rows at the end would
// block the event loop for as long as rendering them.

import { createSlicePauses, type SlicePauses } from '../kit/breath.ts'
import { escapeHtml, type Html, trusted } from './html.ts'

export async function htmlInSlices<Item>(
  items: readonly Item[],
  draw: (item: Item, index: number) => Html,
): Promise<Html[]> {
  const breath = createSlicePauses()
  const slices: Html[] = []
  let texts: string[] = []
  const endSlice = () => {
    slices.push(trusted(texts.join('')))
    texts = []
  }
  for (const [index, item] of items.entries()) {
    if (breath.isDue()) {
      endSlice()
      await breath.take()
    }
    texts.push(draw(item, index).toString())
  }
  endSlice()
  // The caller joins what was rendered in several slices in one of its own.
  if (slices.length > 1) await breath.take()
  return slices
}

// Escapes a long text: 100,000 special characters take 8 ms.
export async function escapedInSlices(text: string, breath: SlicePauses = createSlicePauses()): Promise<Html> {
  let escaped = ''
  for (let at = 0; at < text.length; at += escapedAtOnce) {
    if (breath.isDue()) await breath.take()
    escaped += escapeHtml(text.slice(at, at + escapedAtOnce))
  }
  return trusted(escaped)
}

const escapedAtOnce = 16_384
