import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { isCrossSite, isSameOrigin } from './origin.ts'

const here = 'https://shop.example.com'

// biome-ignore format: a table is read by its rows
for (const [headers, isCross, isSame] of [
  [{},                                                         false, false],
  [{ origin: here },                                           false, true],
  [{ origin: 'null' },                                         false, false],
  [{ origin: 'https://other.example.com' },                    true,  false],
  [{ origin: 'http://shop.example.com' },                      true,  false],
  [{ 'sec-fetch-site': 'same-origin', origin: here },          false, true],
  [{ 'sec-fetch-site': 'same-origin', origin: 'null' },        false, false],
  [{ 'sec-fetch-site': 'none' },                               false, false],
  [{ 'sec-fetch-site': 'none', origin: here },                 false, false],
  [{ 'sec-fetch-site': 'same-site', origin: here },            true,  false],
  [{ 'sec-fetch-site': 'cross-site', origin: 'null' },         true,  false],
] as const) {
  const sender = isCross ? 'from another site' : isSame ? 'from the shop itself' : 'of unknown origin'
  test(`a post with ${JSON.stringify(headers)} is ${sender}`, () => {
    // The cast holds: only the headers are used.
    const raw = { headers } as unknown as IncomingMessage
    assert.deepEqual([isCrossSite(raw, here), isSameOrigin(raw, here)], [isCross, isSame])
  })
}
