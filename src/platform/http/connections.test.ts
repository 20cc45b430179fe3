import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { createClientAddress } from './connections.ts'

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

test('without trusted proxies the client address is that of the connection', () => {
  const addressOf = createClientAddress([])
  assert.equal(addressOf(request('203.0.113.5', '10.0.0.1, 198.51.100.7')), '203.0.113.5')
  assert.equal(addressOf(request(undefined)), '')
})

// biome-ignore format: one row is one case
for (const [name, connected, forwarded, client] of [
  ['one proxy', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['a proxy whose IPv4 address is written as IPv6', '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['a proxy whose IPv4 address is written as hexadecimal IPv6', '10.0.0.1', '198.51.100.7, ::ffff:0a00:0002', '198.51.100.7'],
  ['a text that only looks like an IPv4 address in IPv6', '10.0.0.1', '198.51.100.7, ::ffff:::1', '::ffff:::1'],
  ['two proxies', '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['a header with addresses that the client made up', '10.0.0.1', '1.2.3.4, 10.9.9.9, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['a connection from outside the trusted networks', '203.0.113.5', '198.51.100.7', '203.0.113.5'],
  ['only proxies', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
  ['a proxy without the header', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy with an empty header', '10.0.0.1', ' , ', '10.0.0.1'],
  ['a client with an IPv6 address', '10.0.0.1', '2001:db8::7', '2001:db8::7'],
  ['a proxy with an IPv6 address', '2001:db8:1::1', '198.51.100.7', '198.51.100.7'],
  ['a text that is not an address', '10.0.0.1', '198.51.100.7, unknown', 'unknown'],
  ['an address with a port', '10.0.0.1', '198.51.100.7, 10.0.0.2:5000', '10.0.0.2:5000'],
  ['a closed connection', undefined, '198.51.100.7', ''],
] as const) {
  test(`client address with trusted proxies: ${name}`, () => {
    const addressOf = createClientAddress(['10.0.0.0/8', '2001:db8:1::/48'])
    assert.equal(addressOf(request(connected, forwarded)), client)
  })
}

test('trusted networks can be configured by name', () => {
  const addressOf = createClientAddress(['loopback'])
  assert.equal(addressOf(request('127.0.0.1', '198.51.100.7')), '198.51.100.7')
  assert.equal(addressOf(request('::1', '198.51.100.7')), '198.51.100.7')
})
