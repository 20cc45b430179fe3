// Renders long lists in time slices. The texts of each slice are joined within the slice: joining thousands of rows at the end would
// block the event loop for as long as rendering them.

import { createSlicePauses } from '../kit/breath.ts'
import { type Html, trusted } from './html.ts'

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
  return slices
}
