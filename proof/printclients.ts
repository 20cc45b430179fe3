// `npm run generators:print`: writes what the generators print of docs/openapi.json into proof/generators/*/generated, which git
// ignores, and its digests into printed.json. It installs the generators from the registry.

import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  clientDigests,
  generators,
  openSurface,
  type Printed,
  printedPath,
  sourcesOf,
  storedFolder,
} from './clients.ts'
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
const printed: Printed = {
  ...sourcesOf(await readFile(openSurface.document, 'utf8')),
  clients: await clientDigests(storedFolder),
}
await writeFile(printedPath, `${JSON.stringify(printed, null, 2)}\n`)
