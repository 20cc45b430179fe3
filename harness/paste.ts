// Pastes text into the field of a page that has the focus, as a spreadsheet's cells.

import type { Page as Tab } from 'playwright-core'

// Scripts are deferred, so a page can be read before they listen: the paste waits for them.
export async function paste(tab: Tab, text: string): Promise<void> {
  await tab.waitForLoadState('load')
  await tab.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', ${JSON.stringify(text)})
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })()`)
}
