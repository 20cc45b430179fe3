// Ids in examples.

import { type IdNoun, idPrefixes } from './words.ts'

// A well-formed TypeID: the characters after the prefix are a UUIDv7 in base32, and `number` makes the ids differ.
export function sampleId(noun: IdNoun, number = 1): string {
  return `${idPrefixes[noun]}_01k5x8t0fme4p9w2r7s3h6v1${String(number).padStart(2, '0')}`
}
