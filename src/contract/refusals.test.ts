import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openInterfaceRefusalCodes, openInterfaceRefusals, operatorRefusals, refusals } from './refusals.ts'

test('no code is a refusal of both the open API and the operator', () => {
  assert.equal(
    Object.keys(refusals).length,
    Object.keys(openInterfaceRefusals).length + Object.keys(operatorRefusals).length,
  )
  assert.equal(openInterfaceRefusalCodes.length, Object.keys(openInterfaceRefusals).length)
})

test('every refusal of the operator is used', () => {
  const folder = join(import.meta.dirname, '..')
  const source = globSync('**/*.ts', { cwd: folder })
    .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('contract'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('')
  const unused = Object.keys(operatorRefusals).filter((code) => !source.includes(`'${code}'`))
  assert.deepEqual(unused, [])
})
