// Time limits and sizes. Even if the network fails, a request fails within ten seconds when the database does not respond.

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

// The server responds to every statement within its time limit, even if only with a time-out. If no response arrives for this much
// longer, the network or the server has failed.
export const silenceMs = 500
