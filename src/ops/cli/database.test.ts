import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fillAsReleased } from '../../../harness/released.ts'
import { givenEngine } from '../../../harness/storage.ts'
import { testSecretText } from '../../../harness/testServer.ts'
import { readSettings } from '../../platform/config.ts'
import { makeSecretText } from '../../platform/secrets/secrets.ts'
import { bringUpToDate, openDatabase } from './database.ts'

describe('opening a database', () => {
  const given = givenEngine('postgres')

  test('logs one warning about missing time limits', async () => {
    const settings = readSettings({
      CARTWRIGHT_DATABASE_URL: await given.freshUrl(),
      CARTWRIGHT_SECRET: makeSecretText(),
    })
    for (const effect of ['creates', 'changes', 'reads'] as const) {
      const lines: string[] = []
      // A time limit of 0 is not sent, so the server lacks it, as if a pooler had dropped it.
      const database = await openDatabase(settings, effect, { statementMsMax: 0, log: (line) => void lines.push(line) })
      if (effect === 'creates') await bringUpToDate(database, new Date())
      await database.storage.close()
      assert.deepEqual(
        lines.map((line) => line.slice(0, 19)),
        ['time limits are off'],
      )
    }
  })

  test('waits while another node migrates a database of the first release', async () => {
    const url = await given.freshUrl()
    const other = await given.open({ url, withMigrations: false })
    await fillAsReleased(other)
    const settings = readSettings({ CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: testSecretText })
    const { promise: waits, resolve } = Promise.withResolvers<string>()
    let opening: ReturnType<typeof openDatabase> | undefined
    await other.write(async (tx) => {
      await tx.sql`lock table credentials in access exclusive mode`
      opening = openDatabase(settings, 'creates', { lockMsMax: 20, log: resolve })
      assert.equal(await waits, 'waiting for a migration by another process')
      // A command that only reads does not wait, and reports the lock time-out.
      await assert.rejects(openDatabase(settings, 'reads', { lockMsMax: 20 }), /lock timeout/)
    })
    await (await opening)?.storage.close()
  })
})
