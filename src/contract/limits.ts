// The public bounds, each with its unit. Schemas, the identity answer and the body reader take them from here.

export const limits = {
  bodyBytesMax: 65_536,
  jsonDepthMax: 16,
  listRowsMax: 100,
  cartLinesMax: 100,
  quantityMax: 999,
  metadataKeysMax: 20,
  metadataKeyLengthMax: 40,
  metadataValueLengthMax: 500,
  idempotencyKeyLengthMax: 255,
  slugLengthMax: 120,
  issuesMax: 20,
  // RFC 5321, 4.5.3.1.3, less the angle brackets.
  emailLengthMax: 254,
} as const
