// `secret`: a root secret for a new database. It is printed and stored nowhere.

import { makeSecretText } from '../kit/secrets.ts'
import { type Command, Misuse, print } from './command.ts'

export const secretCommand: Command = {
  summary: 'Print a new root secret, for CARTWRIGHT_SECRET or CARTWRIGHT_SECRET_FILE.',
  usage: ['secret'],
  options: {},
  async run(given, terminal) {
    if (given.words.length > 0) throw new Misuse('secret takes no words')
    const secret = makeSecretText()
    print(terminal, given, { secret }, () => [secret])
    return 0
  },
}
