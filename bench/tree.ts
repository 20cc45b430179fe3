// What a process and everything that it started has used, read from /proc (Linux): servers that consist of several processes, and a
// database whose every connection is one.

import { readdirSync, readFileSync } from 'node:fs'

const tickUs = 10_000

interface Seen {
  pid: number
  parent: number
  ticks: number
  rssBytes: number
}

// Processes that ended count too, once their parent has waited for them.
export function usageOfTree(root: number): { cpuUs: number; rssBytes: number } {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (lookAt(Number(name)) ?? []) : []))
  const ours = new Set([root])
  // A child may have a smaller number than its parent, so until nothing is added.
  for (let size = 0; size < ours.size; ) {
    size = ours.size
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid)
  }
  const tree = all.filter(({ pid }) => ours.has(pid))
  return {
    cpuUs: tree.reduce((sum, { ticks }) => sum + ticks, 0) * tickUs,
    rssBytes: tree.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  }
}

export function parentOf(pid: number): number {
  return lookAt(pid)?.parent ?? 0
}

// Undefined for a process that has just ended.
function lookAt(pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain spaces and brackets.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15)
    return {
      pid,
      parent: fields[1] ?? 0,
      ticks: user + system + childUser + childSystem,
      rssBytes: (fields[21] ?? 0) * 4_096,
    }
  } catch {
    return undefined
  }
}
