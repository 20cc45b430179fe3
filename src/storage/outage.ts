// Reports an outage of the database in one line when it begins and one when it ends, however much work fails in between.
import { type Log, wordsOf } from './inside.ts'

export interface Outage {
  readonly isOn: boolean
  // The server answers, but cannot be written: a standby. Reads that succeed say nothing about its end.
  readonly isReadOnly: boolean
  begin(error: unknown, options?: { isReadOnly: boolean }): void
  // By work that succeeded. What started before the outage began says nothing about its end.
  end(startedAt: number): void
}

export function watchOutage(log: Log): Outage {
  let began: { at: number; isReadOnly: boolean } | undefined
  return {
    get isOn() {
      return began !== undefined
    },
    get isReadOnly() {
      return began?.isReadOnly ?? false
    },
    begin(error, { isReadOnly } = { isReadOnly: false }) {
      if (began) began = { at: began.at, isReadOnly: began.isReadOnly || isReadOnly }
      else {
        began = { at: performance.now(), isReadOnly }
        log('the database is unavailable', { reason: wordsOf(error) })
      }
    },
    end(startedAt) {
      if (!began || startedAt < began.at) return
      log('the database is back', { afterMs: Math.round(performance.now() - began.at) })
      began = undefined
    },
  }
}
