// Logs one line when an outage of the database begins and one when it ends, however much work fails in between.
import { errorMessageOf, type Log } from './inside.ts'

export interface Outage {
  readonly isOn: boolean
  // Whether the server responds but rejects writes, like a standby. Successful reads do not end such an outage.
  readonly isReadOnly: boolean
  begin(error: unknown, options?: { isReadOnly: boolean }): void
  // Called after work succeeded. Work that started before the outage does not end it.
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
        log('the database is unavailable', { reason: errorMessageOf(error) })
      }
    },
    end(startedAt) {
      if (!began || startedAt < began.at) return
      log('the database is back', { afterMs: Math.round(performance.now() - began.at) })
      began = undefined
    },
  }
}
