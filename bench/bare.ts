// Builds the bare ceiling for a set of requests: sends each to our server once, and has Fastify answer the same bytes.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CeilingPlan } from './ceiling.ts'
import type { Ask } from './load.ts'
import { type Running, startServer } from './process.ts'

export interface BareOptions {
  folder: string
  server: Running
  // In Fastify's syntax; `:key` selects the answer.
  path: string
  asks: readonly { key: string; ask: Ask }[]
}

// Node or Fastify add these themselves.
const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

let ceilings = 0

export async function startBare({ folder, server, path, asks }: BareOptions): Promise<Running> {
  const answers: Record<string, string> = {}
  let headers: Record<string, string> = {}
  for (const { key, ask } of asks) {
    const answer = await answerOf(server, ask)
    assert.equal(answer.status, 200, `${ask.path}: ${answer.text}`)
    answers[key] = answer.text
    headers = answer.headers
  }
  const [first] = asks
  assert.ok(first)
  ceilings += 1
  const file = join(folder, `ceiling-${ceilings}.json`)
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)))
  const plan: CeilingPlan = { method: first.ask.method, path, headers: own, answers }
  await writeFile(file, JSON.stringify(plan))
  const bare = await startServer({ script: join(import.meta.dirname, 'ceiling.ts'), args: [file], folder })
  await assertSame(server, bare, first.ask)
  return bare
}

interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

async function answerOf({ origin }: Running, { method, path, headers, body }: Ask): Promise<Answer> {
  // As the load generator asks: plain.
  const asked = { 'accept-encoding': 'identity', ...headers }
  const response = await fetch(origin + path, { method, headers: asked, ...(body && { body: body() }) })
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

// A ceiling that answers something else, or less, would not be one.
async function assertSame(server: Running, bare: Running, ask: Ask): Promise<void> {
  const [ours, its] = [await answerOf(server, ask), await answerOf(bare, ask)]
  assert.deepEqual(Object.keys(its.headers).sort(), Object.keys(ours.headers).sort(), 'the same headers')
  assert.equal(its.status, 200)
  if (ask.method === 'GET') assert.equal(its.text, ours.text, 'the same bytes')
  // The answer to a write contains its version and instants, so only its length can be about the same.
  else assert.ok(Math.abs(its.text.length - ours.text.length) <= 16, 'as many bytes')
}
