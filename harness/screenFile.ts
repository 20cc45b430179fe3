// Stores what a page shows as a small picture for the docs.

import { writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const bytesMax = 120 * 1024

// As WebP, which the browser makes and Playwright does not offer; less good until it is small enough.
export async function saveScreen(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  for (const quality of [88, 75, 60]) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
    const bytes = Buffer.from(data, 'base64')
    if (bytes.length > bytesMax) continue
    await writeFile(file, bytes)
    return
  }
  throw new Error(`${file} does not fit into ${bytesMax} bytes`)
}
