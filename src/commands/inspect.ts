// Commands that look: doctor and openapi.

import { readConfig } from '../config.ts'
import { printOpenApi } from '../contract/openapi.ts'
import { findViolations, invariants } from '../observe/invariants.ts'
import { unhurried } from '../storage/copy.ts'
import { pendingMigrations } from '../storage/migrate.ts'
import { openStorage } from '../storage/open.ts'
import { version } from '../version.ts'
import { type Command, print } from './command.ts'

export const doctorCommand: Command = {
  summary: 'Check that the database is current and that every invariant holds.',
  usage: ['doctor'],
  options: {},
  async run(given, terminal) {
    // One snapshot for as long as it takes: a large shop needs longer than a request may, and nobody waits for a read.
    const storage = await openStorage(readConfig().databaseUrl, unhurried)
    try {
      const pending = await pendingMigrations(storage)
      const findings = pending > 0 ? [] : await storage.read(findViolations)
      const healthy = pending === 0 && findings.length === 0
      print(
        terminal,
        given,
        { healthy, engine: storage.engine, pendingMigrations: pending, checked: invariants.length, findings },
        () => [
          ...(pending > 0 ? [`✗ ${pending} migrations are pending: run migrate, or start the server`] : []),
          ...findings.map(({ sentence, subjects }) => `✗ ${sentence} Not so for ${subjects.join(', ')}`),
          ...(healthy ? [`✓ ${storage.engine}: migrations current, ${invariants.length} invariants hold`] : []),
        ],
      )
      return healthy ? 0 : 1
    } finally {
      await storage.close()
    }
  },
}

export const openapiCommand: Command = {
  summary: 'Print the OpenAPI document.',
  usage: ['openapi'],
  options: {},
  async run(_given, terminal) {
    terminal.out(printOpenApi({ version }))
    return 0
  },
}
