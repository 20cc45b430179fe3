// Takes the pictures of the guide for docs/dashboard.md, on the way of the run `open-shop` (`npm run docs:guide`). With a folder, every step on
// a desktop and on a telephone, for looking at them.

import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shopifyCsv } from '../harness/catalog.ts'
import { saveScreen } from '../harness/screenFile.ts'
import { openOne, walks } from './opening.ts'
import { withGround } from './place.ts'

const [given] = process.argv.slice(2)
const folder = given ?? join(import.meta.dirname, '..', 'docs', 'images', 'guide')
const inDocs: ReadonlySet<string> = new Set(['desk-taxes', 'desk-look', 'telephone-payment', 'desk-tested'])
const products = 20

const place = await mkdtemp(join(tmpdir(), 'cartwright-guide-'))
const file = join(place, 'products_export.csv')
await writeFile(file, [...shopifyCsv(products)].join(''))
await mkdir(folder, { recursive: true })
try {
  await withGround('sqlite', async (ground) => {
    const seen = new Set<string>()
    for (const walk of Object.values(walks)) {
      if (seen.has(walk.size)) continue
      seen.add(walk.size)
      await openOne(await ground.freshUrl(), file, products, walk, async (page, step) => {
        const name = `${walk.size}-${step}`
        if (given === undefined && !inDocs.has(name)) return
        await page.waitForLoadState('networkidle')
        const picture = join(folder, `${name}.webp`)
        await saveScreen(page, picture)
        process.stdout.write(`${picture} ${(await stat(picture)).size} bytes\n`)
      })
    }
  })
} finally {
  await rm(place, { recursive: true, force: true })
}
