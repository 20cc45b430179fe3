import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TypeID } from 'typeid-js'
import { isWide } from '../../../harness/wide.ts'
import { idPrefixes } from '../../contract/words.ts'
import { createIdMaker, idFromDigest, idTimeOf, isId, newId, twoDigits } from './ids.ts'

// Returns an id maker whose clock and random bits are chosen by the test.
function makerWith(times: number[], chance: number, counterEnd?: number): (prefix: string) => string {
  let call = 0
  const clock = () => times[Math.min(call++, times.length - 1)] as number
  return createIdMaker(clock, (pool) => pool.fill(chance), counterEnd)
}

test('an id is a TypeID of a UUIDv7 with its creation time', () => {
  for (const prefix of Object.values(idPrefixes)) {
    const before = Date.now()
    const id = newId(prefix)
    const after = Date.now()
    const read = TypeID.fromString(id)
    assert.equal(read.getType(), prefix)
    assert.equal(TypeID.fromUUID(prefix, read.toUUID()).toString(), id)
    assert.match(read.toUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const ms = Number.parseInt(read.toUUID().replaceAll('-', '').slice(0, 12), 16)
    assert.ok(ms >= before && ms <= after + 1)
    assert.equal(idTimeOf(id), ms)
  }
})

test('the bits are placed as in RFC 9562', () => {
  const read = (id: string) => TypeID.fromString(id).toUUID()
  assert.equal(read(makerWith([0], 0)('ord')), '00000000-0000-7000-8000-000000000000')
  assert.equal(read(makerWith([2 ** 48 - 1], 0xffff)('ord')), 'ffffffff-ffff-77ff-bfff-ffffffffffff')
  assert.equal(read(makerWith([0x0192_3456_789a], 0)('ord')), '01923456-789a-7000-8000-000000000000')
})

test('a hundred thousand ids are different, and sorted by creation', () => {
  const ids = Array.from({ length: 100_000 }, () => newId('evt'))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual([...ids].sort(), ids)
})

test('a clock that stops or is set back does not change the order', () => {
  const make = makerWith([1000, 1000, 900, 1, 1001, 1000], 0)
  const ids = Array.from({ length: 6 }, () => make('evt'))
  assert.deepEqual([...new Set(ids)].sort(), ids)
})

test('when the counter of a millisecond is full, ids continue in the next millisecond', () => {
  // With the highest start, 2^23 - 1, the counter has room for 2^23 more ids in the millisecond, which take seconds to generate.
  const end = isWide ? 2 ** 24 : 2 ** 23 + 1_000
  const make = makerWith([1000], 0xffff, end)
  const ids = Array.from({ length: 3 }, () => make('evt'))
  for (let i = 0; i < end - 2 ** 23; i++) make('evt')
  ids.push(make('evt'), make('evt'))
  assert.deepEqual([...new Set(ids)].sort(), ids)
  assert.equal(
    TypeID.fromString(ids[4] as string)
      .toUUID()
      .slice(0, 13),
    '00000000-03e9',
  )
})

test('only the exact form is accepted as an id', () => {
  const id = newId('cart')
  assert.equal(isId('cart', id), true)
  assert.equal(isId('cart', 'cart_7zzzzzzzzzzzzzzzzzzzzzzzzz'), true)
  const refused = [
    '',
    'cart',
    'cart_',
    id.slice(5),
    `${id}0`,
    id.slice(0, -1),
    id.toUpperCase(),
    id.replace('_', '-'),
    ` ${id}`.slice(0, id.length),
    `${id.slice(0, -1)} `,
    `${id.slice(0, -1)}é`,
    `${id.slice(0, -1)}\uff10`,
    'cart_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    ...['i', 'l', 'o', 'u', 'A', '-', '\0'].map((letter) => id.slice(0, -1) + letter),
  ]
  for (const text of refused) assert.equal(isId('cart', text), false, JSON.stringify(text))
  assert.equal(isId('sku', id), false)
  assert.equal(isId('car', id), false)
})

test('an id made from a digest has its first 128 bits', () => {
  const digest = Buffer.from('0190163d8694739baea5966c26f8ad91ffffffff', 'hex')
  const id = idFromDigest('pay', digest)
  assert.equal(id, TypeID.fromUUID('pay', '0190163d-8694-739b-aea5-966c26f8ad91').toString())
  assert.ok(isId('pay', id))
  assert.equal(idFromDigest('pay', Buffer.alloc(32, 0xff)), 'pay_7zzzzzzzzzzzzzzzzzzzzzzzzz')
})

test('every number below 1,024 has its own two characters, in order and without the letters i, l, o and u', () => {
  const all = Array.from({ length: 1_024 }, (_, number) => twoDigits(number))
  assert.deepEqual([all[0], all[9], all[18], all[31], all[32], all.at(-1)], ['00', '09', '0j', '0z', '10', 'zz'])
  assert.deepEqual(all.toSorted(), all)
  assert.equal(new Set(all).size, 1_024)
  assert.throws(() => twoDigits(1_024), RangeError)
})
