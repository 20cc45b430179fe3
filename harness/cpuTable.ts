// The processor time that each test file took, with its child processes and PostgreSQL, for
// `CARTWRIGHT_TEST_CPU=TABLE CARTWRIGHT_TEST_PROCESSES=1 npm test`: a line of tab-separated values for each file. With more
// than one process the time of PostgreSQL is that of all of them. Linux only.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs'

// `getconf CLK_TCK`, which Linux has not changed for programs since the beginning.
const ticksPerSecond = 100

interface Spent {
  own: number
  children: number
  postgres: number
}

export function measureFiles(): (file: string) => void {
  const table = process.env.CARTWRIGHT_TEST_CPU
  if (!table) return () => {}
  // Runs of the suite within a test are part of it.
  delete process.env.CARTWRIGHT_TEST_CPU
  let before = spent()
  let at = performance.now()
  return (file) => {
    const now = spent()
    const of = (name: keyof Spent) => ((now[name] - before[name]) / ticksPerSecond).toFixed(2)
    const wall = ((performance.now() - at) / 1_000).toFixed(2)
    appendFileSync(table, `${file}\t${of('own')}\t${of('children')}\t${of('postgres')}\t${wall}\n`)
    before = now
    at = performance.now()
  }
}

interface ProcessTimes {
  parent: number
  name: string
  own: number
  // Those that it has waited for.
  children: number
}

function spent(): Spent {
  const all = new Map<number, ProcessTimes>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const times = timesOf(pid)
    if (times) all.set(pid, times)
  }
  const descends = (pid: number, from: number): boolean => {
    for (let at: number | undefined = pid; at; at = all.get(at)?.parent) if (at === from) return true
    return false
  }
  const total: Spent = { own: 0, children: 0, postgres: 0 }
  for (const [pid, { name, own, children }] of all) {
    if (pid === process.pid) {
      total.own += own
      total.children += children
    } else if (descends(pid, process.pid)) total.children += own + children
    else if (name === 'postgres' && descends(pid, process.ppid)) total.postgres += own + children
  }
  return total
}

function timesOf(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = text.lastIndexOf(')')
    const fields = text
      .slice(end + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map((i) => fields[i])
    return {
      parent,
      name: text.slice(text.indexOf('(') + 1, end),
      own: user + system,
      children: childUser + childSystem,
    }
  } catch {
    return undefined
  }
}
