// Rules of automatic backups: their interval, their names, and which are outdated.

import { Misuse } from './command.ts'

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const dayMs = 86_400_000
const everyMsMax = 30 * dayMs

export function readEvery(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (unitsMs[unit] ?? 0)
  if (!(ms >= 1_000 && ms <= everyMsMax))
    throw new Misuse('--backup-every must be a duration from 1s to 30d, such as 30m, 6h or 1d')
  return ms
}

export function readDays(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Misuse('--backup-days must be a number of days from 1 to 9999')
  return Number(text)
}

// Returns a name such as `cartwright-20261118T071500Z.db`. These names sort by time.
export function backupName(now: number): string {
  return `cartwright-${new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')}.db`
}

// Returns when the backup of this name was started. Returns undefined for the names of other files, which are never removed.
export function backupTime(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /^cartwright-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

const allForMs = 2 * dayMs

// Returns the backups to remove. Every backup of the last two days stays, and for the given number of days the last backup of each day
// (UTC). The newest backup always stays.
export function outdatedBackups(names: readonly string[], now: number, days: number): string[] {
  const known = names
    .flatMap((name) => {
      const time = backupTime(name)
      return time === undefined ? [] : [{ name, time }]
    })
    .sort((a, b) => b.time - a.time)
  const seenDays = new Set<number>()
  return known.flatMap(({ name, time }, index) => {
    const day = Math.floor(time / dayMs)
    const isLastOfDay = !seenDays.has(day)
    seenDays.add(day)
    const stays = index === 0 || now - time < allForMs || (isLastOfDay && now - time < days * dayMs)
    return stays ? [] : [name]
  })
}
