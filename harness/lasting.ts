// For servers in tests. Node closes a connection that is idle for 5 s. On a busy machine a test may hold the event loop for longer, and its
// next request then goes out on a connection that the server closes in the same turn: ECONNRESET.
export const lasting = { keepAliveTimeout: 600_000 }
