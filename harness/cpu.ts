// The processor time that a database takes, to bound work by it: time on the wall says nothing on a busy machine.

import { readdirSync, readFileSync } from 'node:fs'
import type { Engine } from '../src/platform/storage/storage.ts'

// `getconf CLK_TCK`, which Linux has not changed for programs since the beginning.
const ticksPerSecond = 100

// In milliseconds so far. SQLite runs in this process. Of PostgreSQL it is that of the processes which serve this database
// now; 0 where they cannot be seen: on another machine, or not on Linux.
export function cpuOf(engine: Engine, url: string): () => number {
  if (engine === 'sqlite') return ownCpuMs
  const database = new URL(url).pathname.slice(1)
  return () =>
    processes()
      .filter((pid) => titleOf(pid).includes(` ${database} `))
      .reduce((sum, pid) => sum + cpuOfProcess(pid), 0)
}

export function cpuOfProcess(pid: string | number): number {
  const text = textOf(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1_000) / ticksPerSecond
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

// PostgreSQL writes into it which database a process serves: `postgres: user database 127.0.0.1(4711) idle`.
function titleOf(pid: string): string {
  const title = textOf(`/proc/${pid}/cmdline`)
  return title.startsWith('postgres: ') ? title : ''
}

// A process may end while it is looked at.
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
