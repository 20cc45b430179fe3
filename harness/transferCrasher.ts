// The loop of imports, which dies by SIGKILL after so many statements. Run as a process by crash tests.

import { runImportsRound } from '../src/ops/imports/round.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage, Tx } from '../src/platform/storage/storage.ts'

const [url = '', now = '', statements = ''] = process.argv.slice(2)
const storage = await openStorage(url)
let left = Number(statements)

function counted(): void {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}

const dying: Storage = {
  ...storage,
  read: storage.read.bind(storage),
  rolledBack: storage.rolledBack.bind(storage),
  write: (work) =>
    storage.write((tx) =>
      work(
        new Proxy(tx, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target)
            if (typeof value !== 'function') return value
            const call = value.bind(target) as (...given: unknown[]) => unknown
            return (...given: unknown[]) => {
              if (name === 'sql' || name === 'send') counted()
              return call(...given)
            }
          },
        }) as Tx,
      ),
    ),
}
const tools = { storage: dying, origin: () => 'http://127.0.0.1', clock: () => Number(now) }
while (await runImportsRound(tools, () => false));
// It was not that many.
process.exit(3)
