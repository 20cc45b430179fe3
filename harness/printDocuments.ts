// Writes the cases of documents as PDF, UBL and CII, to look at them and to validate them:
// npm run documents:print -- FOLDER

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentFile } from '../src/web/documents/files.ts'
import { documentCases } from './documentCases.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: npm run documents:print -- FOLDER')
mkdirSync(folder, { recursive: true })
for (const { name, documents } of documentCases)
  for (const [i, document] of documents.entries()) {
    const base = join(folder, `${name.replace(/\W+/g, '-')}${i === 0 ? '' : `-credit-${i}`}`)
    const made = ['pdf', 'ubl', 'cii'].filter((format) => {
      const file = documentFile(document, format)
      if (file) writeFileSync(`${base}.${format === 'pdf' ? 'pdf' : `${format}.xml`}`, file.bytes)
      return file !== undefined
    })
    process.stdout.write(`${name}${i === 0 ? '' : `, credit note ${i}`}: ${made.join(', ')}\n`)
  }
