import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readBytes, streamBody } from './body.ts'

function sentByBytes(text: string): IncomingMessage {
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]))
  // The cast holds: only the body and the headers are used.
  return Object.assign(Readable.from(bytes), { headers: {} }) as unknown as IncomingMessage
}

test('bytes that arrive one by one are collected in few buffers', async () => {
  const text = 'abc'.repeat(5_000)
  const pieces: Buffer[] = []
  assert.equal(await streamBody(sentByBytes(text), 20_000, (piece) => pieces.push(piece)), 'whole')
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [4_096, 4_096, 4_096, 2_712],
  )
  assert.equal(String(Buffer.concat(pieces)), text)
  assert.equal(String(await readBytes(sentByBytes(text), 15_000)), text)
  assert.equal(await readBytes(sentByBytes(text), 14_999), 'too_large')
})

test('an empty body is read as empty', async () => {
  assert.deepEqual(await readBytes(sentByBytes(''), 10), Buffer.alloc(0))
})
