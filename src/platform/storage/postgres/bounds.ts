// Time limits and sizes. Whatever the network does, a request without an answer of the database fails within ten seconds.

export const DEFAULTS = {
  workMsMax: 20_000,
  queueMax: 10_000,
  connectionsMax: 16,
  connectMsMax: 5_000,
  waitMsMax: 10_000,
  stallMsMax: 5_000,
  statementMsMax: 9_000,
  lockMsMax: 5_000,
  signalMsMax: 5_000,
}
export type PostgresBounds = typeof DEFAULTS

// The server answers every statement within its time limit, even if only with a time-out. No answer for this much longer means that the
// network or the server has failed.
export const silenceMs = 500
