import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { goodTargets, hostileTargets } from '../../../harness/targets.ts'
import { findTargetProblem, isForbiddenAddress } from './guard.ts'

const strict = { allowPrivate: false }
const lenient = { allowPrivate: true }

describe('the URL of a receiver', () => {
  const hostile = hostileTargets(8443)

  test('is refused in every hostile form', () => {
    assert.ok(hostile.length >= 250, `${hostile.length} forms`)
    const passed = hostile.filter(({ url }) => findTargetProblem(url, strict) === undefined)
    assert.deepEqual(passed, [])
  })

  test('is accepted if it is public', () => {
    const refused = goodTargets.map((url) => [url, findTargetProblem(url, strict)]).filter(([, problem]) => problem)
    assert.deepEqual(refused, [])
    assert.deepEqual(
      goodTargets.filter((url) => findTargetProblem(url, lenient) !== undefined),
      [],
    )
  })

  test('may be private in development, except for forms that are always refused', () => {
    const passed = hostile.filter(({ url, always }) => always && findTargetProblem(url, lenient) === undefined)
    assert.deepEqual(passed, [])
    for (const url of [
      'http://localhost:3000/hooks',
      'http://localhost/',
      'http://127.0.0.1:8080/',
      'http://[::1]:8080/',
      'https://192.168.1.20/',
      'http://receiver:8080/',
      'https://printer.local/',
      'http://host.docker.internal:4000/',
      'http://[fd12:3456::1]:8080/',
      'http://[::ffff:127.0.0.1]:8080/',
      'http://100.64.0.9:8080/',
    ])
      assert.equal(findTargetProblem(url, lenient), undefined, url)
    for (const url of [
      'http://169.254.169.254/latest/meta-data',
      'http://2852039166/',
      'http://[::ffff:169.254.169.254]/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://[fd20:ce::254]/',
      'http://168.63.129.16/',
      'http://100.100.100.200/',
      'http://192.0.0.192/',
      'http://0.0.0.0:8080/',
      'http://[::]:8080/',
      'http://255.255.255.255/',
      'http://224.0.0.1/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
      'http://localhost:6379/',
      'http://localhost:22/',
    ])
      assert.notEqual(findTargetProblem(url, lenient), undefined, url)
  })

  test('is never repeated in the error', () => {
    for (const { url } of hostileTargets(8443)) {
      const problem = findTargetProblem(url, strict)?.message ?? ''
      assert.ok(!problem.includes('secret') && !problem.includes('127.0.0.1'), problem)
      assert.match(problem, /^the [^\n]{10,150}$/)
    }
  })
})

describe('an IP address to connect to', () => {
  test('is forbidden if it is malformed or has a zone', () => {
    for (const text of [
      '',
      ' ',
      'localhost',
      '1.2.3',
      '8.8.8.8 ',
      '08.8.8.8',
      '8.8.8.8%1',
      '2606:4700::1%eth0',
      'fe80::1%lo',
      '[::1]',
      '0x7f.1',
      '2130706433',
      'undefined',
    ])
      for (const options of [strict, lenient]) assert.equal(isForbiddenAddress(text, options), true, text)
  })

  test('is allowed or forbidden correctly at the edges of each block', () => {
    for (const [first, last, before, after] of [
      ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
      ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
      ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
      ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
      ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
      ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
      ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
      ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
      ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
      ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
      ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
      ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
      ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
      ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
      ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
      ['::', '1fff:ffff:ffff:ffff:ffff:fffe:ffff:ffff', null, '2000::'],
      ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
      ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
      ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
      ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:7fff:ffff::', '2620:4f:8001::'],
      ['3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffd:ffff::', '3fff:1000::'],
      ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', null, '3fff:1000::'],
      ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', null],
    ] as const) {
      assert.equal(isForbiddenAddress(first, strict), true, first)
      assert.equal(isForbiddenAddress(last, strict), true, last)
      if (before) assert.equal(isForbiddenAddress(before, strict), false, before)
      if (after) assert.equal(isForbiddenAddress(after, strict), false, after)
    }
  })

  // Compared with ipaddr.js: whatever it calls special must be forbidden here. `stricter` lists the blocks that only we forbid. A mapped
  // address is compared as its IPv4 address.
  test('is forbidden if ipaddr.js calls it special, and otherwise allowed except in blocks that we forbid on purpose', () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
    const random = randomFrom(seed)
    const stricter = ['168.63.129.16/32', '::/3', '3ffe::/16', '4000::/2', '8000::/1'].map((block) =>
      ipaddr.parseCIDR(block),
    )
    const counts = { forbidden: 0, allowed: 0, stricter: 0 }
    for (let round = 0; round < 60_000; round += 1) {
      const address = round % 2 === 0 ? randomV4(random) : randomV6(random)
      const parsed = ipaddr.process(address)
      const isSpecial = parsed.range() !== 'unicast'
      const ours = isForbiddenAddress(address, strict)
      const told = `${address} is ${parsed.range()} to ipaddr.js (SEED=${seed})`
      if (isSpecial) assert.equal(ours, true, told)
      else if (ours) {
        assert.ok(
          stricter.some(([net, bits]) => net.kind() === parsed.kind() && parsed.match(net, bits)),
          told,
        )
        counts.stricter += 1
      }
      counts[ours ? 'forbidden' : 'allowed'] += 1
      // An address that the strict options allow is allowed by the lenient ones too.
      if (!ours) assert.equal(isForbiddenAddress(address, lenient), false, told)
    }
    assert.ok(
      counts.forbidden > 5_000 && counts.allowed > 5_000 && counts.stricter > 100,
      JSON.stringify({ seed, ...counts }),
    )
  })
})

// Mulberry32: a small generator with the same numbers on every machine.
function randomFrom(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

// Half of the addresses begin like a special block, because random ones would hardly ever be in the small blocks.
function randomV4(random: (below: number) => number): string {
  // biome-ignore format: a table reads best in one line
  const beginnings = ['0', '10', '100.64', '100', '127', '168.63.129.16', '169.254', '172.16', '172.31', '172', '192.0.0', '192.0.2', '192.31.196', '192.52.193', '192.88.99', '192.168', '192.175.48', '192', '198.18', '198.19', '198.51.100', '203.0.113', '224', '240', '255']
  const octets = random(2) === 0 ? [] : (beginnings[random(beginnings.length)] as string).split('.')
  while (octets.length < 4) octets.push(String(random(256)))
  return octets.join('.')
}

function randomV6(random: (below: number) => number): string {
  // biome-ignore format: a table reads best in one line
  const beginnings = ['2000', '2001:0', '2001:2:0', '2001:4:112', '2001:10', '2001:20', '2001:30', '2001:1ff', '2001:200', '2001:db8', '2002', '2620:4f:8000', '3ffe', '3fff:0', '3fff:fff', '3fff:1000', '5f00', '64:ff9b:0:0:0:0', '64:ff9b:1', '100:0:0:0', 'fc00', 'fd00:ec2', 'fe80', 'fec0', 'ff02', '0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '0:0:0:0:0:0', '0:0:0:0:0:5efe', '2606:4700', '2a00', '2400']
  const parts =
    random(3) === 0
      ? [(0x2000 + random(0x2000)).toString(16)]
      : random(3) === 0
        ? []
        : (beginnings[random(beginnings.length)] as string).split(':')
  while (parts.length < 8) parts.push(random(3) === 0 ? '0' : random(0x10000).toString(16))
  return parts.join(':')
}
