// `secret`: a root secret for a new database, which is printed and stored nowhere; and the end of a version that is lost.

import { readSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { makeSecretText } from '../kit/secrets.ts'
import { forgetVersion } from '../rootsecret.ts'
import { migrate } from '../storage/migrate.ts'
import { type Command, Failure, type Given, Misuse, print, type Terminal } from './command.ts'

export const secretCommand: Command = {
  summary: 'Print a new root secret, or give up a version that is lost.',
  usage: ['secret', 'secret forget VERSION --force'],
  options: { force: { type: 'boolean', help: 'give up whatever was made with that version' } },
  async run(given, terminal) {
    const [verb, version, ...rest] = given.words
    if (verb === 'forget' && version !== undefined && rest.length === 0) return forget(version, given, terminal)
    if (verb !== undefined) throw new Misuse('say secret, or secret forget VERSION')
    const secret = makeSecretText()
    print(terminal, given, { secret }, () => [secret])
    return 0
  },
}

async function forget(text: string, given: Given, terminal: Terminal): Promise<number> {
  const version = Number(text)
  if (!/^[1-9]\d{0,2}$/.test(text) || version > 255) throw new Misuse('VERSION must be a number from 1 to 255')
  if (!given.flags.has('force'))
    throw new Failure(
      `without version ${version} no API key, webhook secret, e-mail, address or link that was made with it works any more; --force gives them up`,
    )
  const { storage, config } = await openDatabase(readSettings(), given.effect, {}, version)
  try {
    if (config.rootSecret.hasVersion(version))
      throw new Failure(
        `the root secret that is given has version ${version}: give another one in its place, such as CARTWRIGHT_SECRET=${version + 1}:<new>`,
      )
    await migrate(storage, { now: new Date() })
    const keys = await forgetVersion(storage, config.rootSecret, version, Date.now())
    print(terminal, given, { forgotten: version, apiKeys: keys }, () => [
      `version ${version} of the root secret is given up; API keys that were made with it: ${keys}`,
      'Make new keys, rotate the secrets of webhook endpoints, and create users again.',
    ])
    return 0
  } finally {
    await storage.close()
  }
}
