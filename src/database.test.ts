import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { givenEngine } from '../harness/storage.ts'
import { readSettings } from './config.ts'
import { bringUpToDate, openDatabase } from './database.ts'
import { makeSecretText } from './kit/secrets.ts'

describe('opening a database', () => {
  const given = givenEngine('postgres')

  test('warns of what is wrong with it once', async () => {
    const settings = readSettings({
      CARTWRIGHT_DATABASE_URL: await given.freshUrl(),
      CARTWRIGHT_SECRET: makeSecretText(),
    })
    for (const effect of ['creates', 'changes', 'reads'] as const) {
      const lines: string[] = []
      // A limit that is 0 is not sent, as if a pooler had dropped it.
      const database = await openDatabase(settings, effect, { statementMsMax: 0, log: (line) => void lines.push(line) })
      if (effect === 'creates') await bringUpToDate(database, new Date())
      await database.storage.close()
      assert.deepEqual(
        lines.map((line) => line.slice(0, 19)),
        ['time limits are off'],
      )
    }
  })
})
