// The first door. It opens the cache in which Node keeps what it makes of our files (types stripped, code compiled), so
// that only the first start pays for it. Plain JavaScript, because to strip the types of even one file loads a compiler.

import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// In the folder for temporary files, which outlives no machine and is missed by nobody. What is in the cache is run, so it
// must be a folder that nobody else can write to, on a machine that we may share. Where there is none, every start is
// like the first.
function privateFolder() {
  const user = process.getuid?.() ?? ''
  const folder = join(tmpdir(), `cartwright-cache-${user}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    const isOurs = user === '' || (uid === user && (mode & 0o022) === 0)
    return isOurs ? folder : undefined
  } catch {
    return undefined
  }
}

const folder = privateFolder()
if (folder !== undefined) enableCompileCache(folder)
await import('./main.ts')
