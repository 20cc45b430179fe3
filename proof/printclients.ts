// `npm run generators:print`: writes what the generators print of docs/openapi.json into proof/generators. It installs them
// from the registry.

import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generators, openSurface, printedOf, printedPath, storedFolder } from './clients.ts'
import { generateBare, withInstalled } from './generators.ts'

for (const generator of generators) {
  process.stdout.write(`${generator.name}\n`)
  await withInstalled(generator, async (folder) => {
    await generateBare(generator, folder)
    const stored = join(storedFolder, generator.folder, 'generated')
    await rm(stored, { recursive: true, force: true })
    await cp(join(folder, 'generated'), stored, { recursive: true })
  })
}
const printed = await printedOf(await readFile(openSurface.document, 'utf8'))
await writeFile(printedPath, `${JSON.stringify(printed, null, 2)}\n`)
