// Instants are epoch milliseconds inside and RFC 3339 texts (UTC, milliseconds, `Z`) outside.

export function toInstant(ms: number): string {
  return new Date(ms).toISOString()
}
