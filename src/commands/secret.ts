// `secret`: a root secret for a new database, which is printed and stored nowhere; and the end of a version that is lost.

import { readSettings } from '../config.ts'
import { bringUpToDate, openDatabase } from '../database.ts'
import { makeSecretText } from '../kit/secrets.ts'
import { listSealedBy, reseal } from '../reseal.ts'
import { forgetVersion } from '../rootsecret.ts'
import { migrate } from '../storage/migrate.ts'
import { type Command, Failure, type Given, Misuse, print, type Terminal } from './command.ts'

export const secretCommand: Command = {
  summary: 'Print a new root secret, seal everything anew by the current version, or retire a version.',
  usage: ['secret', 'secret reseal', 'secret forget VERSION [--force]'],
  options: { force: { type: 'boolean', help: 'give up whatever was made with that version' } },
  async run(given, terminal) {
    const [verb, version, ...rest] = given.words
    if (verb === 'forget' && version !== undefined && rest.length === 0) return forget(version, given, terminal)
    if (verb === 'reseal' && version === undefined) return resealAll(given, terminal)
    if (verb !== undefined) throw new Misuse('say secret, secret reseal, or secret forget VERSION')
    const secret = makeSecretText()
    print(terminal, given, { secret }, () => [secret])
    return 0
  },
}

async function resealAll(given: Given, terminal: Terminal): Promise<number> {
  const database = await openDatabase(readSettings(), given.effect)
  const { storage, config } = database
  try {
    await bringUpToDate(database, new Date())
    const done = await reseal(storage, config.rootSecret)
    const [, ...others] = config.rootSecret.versions
    const versions = await storage.read(async (db) => {
      const counted = []
      for (const version of others) counted.push({ version, left: await listSealedBy(db, version, Date.now()) })
      return counted
    })
    print(terminal, given, { ...done, versions }, () => [
      `sealed anew by version ${config.rootSecret.currentVersion}: ${done.resealed}; could not be opened: ${done.unopened}`,
      ...versions.map(({ version, left }) =>
        left.length === 0
          ? `version ${version} is not needed any more: secret forget ${version}`
          : `version ${version} is still needed for ${left.map(({ what, rows }) => `${what}: ${rows}`).join(', ')}`,
      ),
    ])
    return 0
  } finally {
    await storage.close()
  }
}

async function forget(text: string, given: Given, terminal: Terminal): Promise<number> {
  const version = Number(text)
  if (!/^[1-9]\d{0,2}$/.test(text) || version > 255) throw new Misuse('VERSION must be a number from 1 to 255')
  const { storage, config } = await openDatabase(readSettings(), given.effect, {}, version)
  try {
    if (config.rootSecret.hasVersion(version))
      throw new Failure(
        `the root secret that is given has version ${version}: give another one in its place, such as CARTWRIGHT_SECRET=${version + 1}:<new>`,
      )
    const left = given.flags.has('force') ? [] : await storage.read((db) => listSealedBy(db, version, Date.now()))
    if (left.length > 0)
      throw new Failure(
        `version ${version} is still needed for ${left.map(({ what, rows }) => `${what}: ${rows}`).join(', ')} (\`secret reseal\` with both versions seals anew; an API key is renewed when it is used); --force gives them up`,
      )
    await migrate(storage, { now: new Date() })
    const keys = await forgetVersion(storage, config.rootSecret, version, Date.now())
    print(terminal, given, { forgotten: version, apiKeys: keys }, () => [
      `version ${version} of the root secret is given up; API keys that were made with it: ${keys}`,
      ...(keys > 0 ? ['Make new keys, rotate the secrets of webhook endpoints, and create users again.'] : []),
    ])
    return 0
  } finally {
    await storage.close()
  }
}
