// The command `secret`: prints a new root secret without storing it, encrypts data with the current version, and discards versions.

import { readSettings } from '../../platform/config.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { listSealedBy, reencryptAll, type SealedRows } from '../../platform/secrets/reseal.ts'
import { discardSecretVersions } from '../../platform/secrets/rootsecret.ts'
import { makeSecretText } from '../../platform/secrets/secrets.ts'
import { migrate } from '../../platform/storage/migrate.ts'
import { type Command, Misuse, type ParsedArguments, printResult, type Terminal } from './command.ts'
import { bringUpToDate, openDatabase } from './database.ts'

export const secretCommand: Command = {
  summary: 'Print a new root secret, encrypt all secrets again with the current version, or forget former versions.',
  alone: {
    summary: 'Print a new root secret, which is stored nowhere.',
    effect: 'none',
    async run(given, terminal) {
      const secret = makeSecretText()
      printResult(terminal, given, { secret }, () => [secret])
      return 0
    },
  },
  verbs: {
    reseal: {
      summary: 'Encrypt all stored secrets again with the current version of the root secret.',
      effect: 'changes',
      run: resealAll,
    },
    forget: {
      summary: 'Forget versions of the root secret that are lost or no longer needed.',
      effect: 'changes',
      words: ['VERSION...'],
      options: { force: { help: 'forget the versions even if stored data still needs them; that data is lost' } },
      run: forget,
    },
  },
}

async function resealAll(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const database = await openDatabase(readSettings(given.environment), given.effect)
  const { storage, config } = database
  try {
    await bringUpToDate(database, new Date())
    const done = await reencryptAll(storage, config.rootSecret)
    const [, ...others] = config.rootSecret.versions
    const versions = await storage.read(async (db) => {
      const counted = []
      for (const version of others) counted.push({ version, left: await listSealedBy(db, version, Date.now()) })
      return counted
    })
    printResult(terminal, given, { ...done, versions }, () => [
      `${done.resealed} values were encrypted again with version ${config.rootSecret.currentVersion} of the root secret, and ${done.unopened} could not be decrypted`,
      ...versions.map(({ version, left }) =>
        left.length === 0
          ? `version ${version} is no longer needed: run \`secret forget ${version}\``
          : `version ${version} is still needed for ${left.map(neededText).join(', ')}`,
      ),
    ])
    return 0
  } finally {
    await storage.close()
  }
}

const namedMax = 20

function neededText({ what, rows, ids = [] }: SealedRows): string {
  const more = ids.length > namedMax ? ', …' : ''
  return ids.length === 0 ? `${what}: ${rows}` : `${what}: ${rows} (${ids.slice(0, namedMax).join(', ')}${more})`
}

// All lost versions are named together: the database cannot be opened while a version is missing that is not named.
async function forget(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const texts = given.words
  const versions = [...new Set(texts.map(Number))]
  if (!texts.every((text) => /^[1-9]\d{0,2}$/.test(text)) || Math.max(...versions) > 255)
    throw new Misuse('VERSION must be a number from 1 to 255')
  const { storage, config } = await openDatabase(readSettings(given.environment), given.effect, {}, versions)
  try {
    const still = versions.find((version) => config.rootSecret.hasVersion(version))
    if (still !== undefined)
      throw refuse('secret_version_given', {
        message: `The root secret in the settings still contains version ${still}: replace it by a new version, such as CARTWRIGHT_SECRET=${Math.max(...versions) + 1}:<new secret>.`,
      })
    for (const version of given.flags.has('force') ? [] : versions) {
      const left = await storage.read((db) => listSealedBy(db, version, Date.now()))
      if (left.length === 0) continue
      const needs = left.map(neededText).join(', ')
      throw refuse('secret_version_needed', {
        message: `Version ${version} is still needed for ${needs}: run \`secret reseal\` with both versions set, and wait until the API keys have been used once.`,
        current: { version, left },
      })
    }
    await migrate(storage, { now: new Date() })
    const keys = await discardSecretVersions(storage, config.rootSecret, versions, Date.now())
    printResult(terminal, given, { forgotten: versions, apiKeys: keys }, () => [
      `forgot version ${versions.join(', ')} of the root secret; active API keys that no longer work: ${keys}`,
      ...(keys > 0 ? ['Create new keys, rotate the secrets of webhook endpoints, and create users again.'] : []),
    ])
    return 0
  } finally {
    await storage.close()
  }
}
