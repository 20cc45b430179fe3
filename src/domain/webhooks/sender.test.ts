import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { ticked } from '../../../harness/timed.ts'
import { type CallOutcome, createSender, type Sender, type SenderOptions } from './sender.ts'

const fixtures = join(import.meta.dirname, '../../../tests/fixtures/tls')
const certificate = readFileSync(join(fixtures, 'receiver.cert.pem'), 'utf8')
const privateKey = readFileSync(join(fixtures, 'receiver.key.pem'), 'utf8')

// A call that should succeed must not fail on a loaded machine, so only the tests of deadlines use short ones.
const patient = { allowPrivate: true, connectMsMax: 5_000, exchangeMsMax: 20_000 }
const hasty = { allowPrivate: true, connectMsMax: 600, exchangeMsMax: 1_000 }
// Much longer than the hasty deadlines, and much shorter than the patient ones.
const soonMs = 4_000

describe('a response', () => {
  for (const [status, line] of [
    [200, 'OK'],
    [201, 'Created'],
    [299, 'Whatever'],
    [400, 'Bad Request'],
    [410, 'Gone'],
    [500, 'Internal Server Error'],
    [599, 'Odd'],
  ] as const)
    test(`with ${status} is reported with its body`, async (context) => {
      const receiver = await listen(context, (socket) => socket.write(answer(`${status} ${line}`, 'hello')))
      const outcome = await open(context, patient).send(callTo(receiver))
      assert.deepEqual(withoutTime(outcome), answered(status, 'hello'))
      assert.ok(outcome.tookMs >= 0 && Number.isInteger(outcome.tookMs))
    })

  test('is requested by a POST with exactly the given bytes and headers, never compressed', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('204 No Content')))
    const body = '{"name":"Käse \u2028"}'
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1' }
    const outcome = await open(context, patient).send({ url: `${receiver.url}/in?x=1&y=a%20b`, headers, body })
    assert.deepEqual(withoutTime(outcome), answered(204, ''))
    const [request = ''] = receiver.requests
    assert.ok(request.startsWith('POST /in?x=1&y=a%20b HTTP/1.1\r\n'), request)
    assert.ok(request.endsWith(`\r\n\r\n${body}`), request)
    for (const line of [
      `host: 127.0.0.1:${receiver.port}`,
      'content-type: application/json',
      'webhook-id: evt_1',
      'accept-encoding: identity',
    ])
      assert.ok(request.includes(`\r\n${line}\r\n`), line)
    assert.ok(!/transfer-encoding|expect:/i.test(request))
  })

  test('that redirects is reported, and the redirect is not followed', async (context) => {
    const other = await listen(context, (socket) => socket.write(answer('200 OK')))
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await listen(context, (socket) =>
        socket.write(answer(`${status} Elsewhere`, '', `location: ${other.url}/\r\n`)),
      )
      assert.deepEqual(withoutTime(await open(context, patient).send(callTo(receiver))), answered(status, ''))
    }
    assert.equal(other.connections(), 0)
  })

  test('has its Retry-After used only with 429 and 503, and truncated', async (context) => {
    for (const [status, header, told] of [
      ['429 Slow down', 'retry-after: 120', '120'],
      ['503 Later', 'Retry-After: Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
      ['503 Later', 'retry-after: 1\r\nretry-after: 2', '1'],
      ['429 Slow down', `retry-after: ${'9'.repeat(5_000)}`, '9'.repeat(100)],
      ['429 Slow down', 'x: y', null],
      ['500 Broken', 'retry-after: 120', null],
      ['200 OK', 'retry-after: 120', null],
    ] as const) {
      const receiver = await listen(context, (socket) => socket.write(answer(status, '', `${header}\r\n`)))
      assert.equal((await open(context, patient).send(callTo(receiver))).retryAfter, told)
    }
  })

  test('is read after any interim responses, even an unrequested 100', async (context) => {
    for (const interim of ['100 Continue', '102 Processing', '103 Early Hints']) {
      const receiver = await listen(context, (socket) => {
        socket.write(`HTTP/1.1 ${interim}\r\nlink: </a.css>\r\n\r\n`)
        setImmediate(() => socket.write(answer('200 OK', 'yes')))
      })
      const sender = open(context, patient)
      assert.deepEqual(withoutTime(await sender.send(callTo(receiver))), answered(200, 'yes'), interim)
      await breath()
      assert.deepEqual(withoutTime(await sender.send(callTo(receiver))), answered(200, 'yes'), interim)
      assert.equal(receiver.connections(), 1)
    }
  })

  test('counts as missing after endless interim responses or an upgrade', async (context) => {
    for (const text of [
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000),
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    ]) {
      const receiver = await listen(context, (socket) => socket.write(text))
      const outcome = await soon(open(context, patient).send(callTo(receiver)))
      assert.equal(outcome.kind, 'failed')
      assert.equal(outcome.statusCode, null)
    }
  })

  test('has its body stored up to 4 KiB, as text that every database accepts', async (context) => {
    for (const [body, told] of [
      [Buffer.from('a\0b\0'), 'ab'],
      [Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]), 'a\ufffd\ufffd(b'],
      [Buffer.from('x'.repeat(4_096)), 'x'.repeat(4_096)],
      [Buffer.from('x'.repeat(4_097)), 'x'.repeat(4_096)],
      [Buffer.from('x'.repeat(16_384)), 'x'.repeat(4_096)],
      // The limit is inside of a character.
      [Buffer.from(`${'x'.repeat(4_095)}€€`), 'x'.repeat(4_095)],
      // This body itself ends inside of a character.
      [Buffer.from([0x61, 0xe2, 0x82]), 'a\ufffd'],
      [Buffer.alloc(9_000), ''],
    ] as const) {
      const receiver = await listen(context, (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`)
        socket.write(body)
      })
      assert.deepEqual(withoutTime(await open(context, patient).send(callTo(receiver))), answered(200, told))
    }
  })

  test('is not decompressed', async (context) => {
    const receiver = await listen(context, (socket) =>
      socket.write(answer('200 OK', 'not gzip', 'content-encoding: gzip\r\n')),
    )
    assert.equal((await open(context, patient).send(callTo(receiver))).answer, 'not gzip')
  })

  test('ends with the connection if it has no length, and with its last chunk if it is chunked', async (context) => {
    const plain = await listen(context, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))
    assert.deepEqual(withoutTime(await open(context, patient).send(callTo(plain))), answered(200, 'hello'))
    const chunked = await listen(context, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n'),
    )
    assert.deepEqual(withoutTime(await open(context, patient).send(callTo(chunked))), answered(200, 'hello'))
  })
})

describe('the status of a response counts even if', () => {
  test('the body is endless: 16 KiB are read, and the connection is closed', async (context) => {
    const receiver = await listen(context, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      flood(socket, `1000\r\n${'y'.repeat(0x1000)}\r\n`)
    })
    const outcome = await soon(open(context, patient).send(callTo(receiver)))
    assert.deepEqual(withoutTime(outcome), answered(200, 'y'.repeat(4_096)))
    await receiver.allGone()
    assert.ok(receiver.bytesWritten() < 20 * 1024 * 1024)
  })

  test('the body is very slow: the deadline ends it', async (context) => {
    const receiver = await listen(context, (socket) => {
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 1000000\r\n\r\n')
      const drip = setInterval(() => socket.write('z'), 10)
      socket.on('close', () => clearInterval(drip))
    })
    const outcome = await soon(open(context, hasty).send(callTo(receiver)))
    assert.equal(outcome.kind, 'answered')
    assert.equal(outcome.statusCode, 202)
    assert.match(outcome.answer ?? '', /^z*$/)
    assert.ok(outcome.tookMs >= hasty.exchangeMsMax - 5, `${outcome.tookMs} ms`)
    await receiver.allGone()
  })

  test('the connection breaks in the middle of the body', async (context) => {
    const receiver = await listen(context, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf', () => socket.end())
    })
    assert.deepEqual(withoutTime(await open(context, patient).send(callTo(receiver))), answered(200, 'half'))
  })

  test('the chunks of the body are invalid', async (context) => {
    const receiver = await listen(context, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense'),
    )
    assert.deepEqual(withoutTime(await open(context, patient).send(callTo(receiver))), answered(200, ''))
  })

  test('the chunk headers of the body are endless', async (context) => {
    const receiver = await listen(context, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;')
      flood(socket, 'e'.repeat(64 * 1024))
    })
    const outcome = await open(context, patient).send(callTo(receiver))
    assert.deepEqual(withoutTime(outcome), answered(200, ''))
    await receiver.allGone()
    assert.ok(receiver.bytesWritten() < 50 * 1024 * 1024)
  })
})

describe('a call fails if', () => {
  const failures: Readonly<
    Record<string, { behave: (socket: Socket) => void; error: string; options?: SenderOptions }>
  > = {
    'the receiver hangs': { behave: () => {}, error: 'answer too slow', options: hasty },
    'the headers arrive a few bytes at a time': {
      behave: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x: y\r\n'), 10)
        socket.on('close', () => clearInterval(drip))
      },
      error: 'answer too slow',
      options: hasty,
    },
    'only interim responses arrive': {
      behave: (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'),
      error: 'answer too slow',
      options: hasty,
    },
    'the headers are huge': {
      behave: (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'h'.repeat(40_000)}\r\n\r\n`),
      error: 'answer headers too large',
    },
    'the headers never end': {
      behave: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        flood(socket, `x: ${'h'.repeat(1_000)}\r\n`)
      },
      error: 'answer headers too large',
    },
    'the reason phrase never ends': {
      behave: (socket) => {
        socket.write('HTTP/1.1 200 ')
        flood(socket, 'r'.repeat(64 * 1024))
      },
      error: 'answer too large',
    },
    'the connection is reset before the response': {
      behave: (socket) => socket.resetAndDestroy(),
      error: 'connection lost',
    },
    'the connection is closed before the response': { behave: (socket) => socket.end(), error: 'connection lost' },
    'the connection is closed within the headers': {
      behave: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
      error: 'connection lost',
    },
    'the response is not HTTP': {
      behave: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
      error: 'not an HTTP answer',
    },
    'the response is not text': {
      behave: (socket) => socket.write(Buffer.from([0, 1, 2, 3, 255, 254])),
      error: 'not an HTTP answer',
    },
    'the response has two lengths': {
      behave: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      error: 'not an HTTP answer',
    },
    'the response is HTTP/2': {
      behave: (socket) => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      error: 'not an HTTP answer',
    },
  }
  for (const [name, { behave, error, options = patient }] of Object.entries(failures))
    test(name, async (context) => {
      const receiver = await listen(context, behave)
      const outcome = await soon(
        open(context, options).send(callTo(receiver)),
        options === hasty ? soonMs : patient.exchangeMsMax,
      )
      assert.deepEqual(withoutTime(outcome), failed(error))
      if (options === hasty) assert.ok(outcome.tookMs >= hasty.exchangeMsMax - 5, `${outcome.tookMs} ms`)
      assert.equal(receiver.requests.length, 1, 'it was sent once')
      await receiver.allGone()
    })

  test('nothing listens on the port', async (context) => {
    const receiver = await listen(context, () => {})
    await receiver.close()
    assert.deepEqual(withoutTime(await open(context, patient).send(callTo(receiver))), failed('connection refused'))
  })

  test('the host name is not found, or its lookup fails', async (context) => {
    for (const [code, error] of [
      ['ENOTFOUND', 'name not found'],
      ['EAI_AGAIN', 'name lookup failed'],
    ] as const) {
      const lookup = () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code} secret.example.com`), { code }))
      const sender = open(context, { ...patient, lookup })
      assert.deepEqual(withoutTime(await sender.send({ ...call, url: 'https://secret.example.com/' })), failed(error))
    }
    const sender = open(context, { ...patient, lookup: async () => [] })
    assert.deepEqual(
      withoutTime(await sender.send({ ...call, url: 'https://hooks.example.com/' })),
      failed('name not found'),
    )
  })

  test('the resolver does not respond', async (context) => {
    let asked = 0
    const lookup = () => {
      asked += 1
      return new Promise<never>(() => {})
    }
    const sender = open(context, { ...hasty, exchangeMsMax: 20_000, lookup })
    const sends = [1, 2, 3].map(() => sender.send({ ...call, url: 'https://hooks.example.com/' }))
    for (const outcome of await soon(Promise.all(sends))) {
      assert.deepEqual(withoutTime(outcome), failed('timed out'))
      assert.ok(outcome.tookMs >= hasty.connectMsMax - 5, `${outcome.tookMs} ms`)
    }
    assert.equal(asked, 1)
  })

  test('the connection cannot be established in time', async (context) => {
    // A socket that never begins to connect.
    const { Socket: Idle } = await import('node:net')
    const sender = open(context, { ...hasty, exchangeMsMax: 20_000, dial: () => new Idle() })
    const outcome = await soon(sender.send({ ...call, url: 'http://127.0.0.1:8080/' }))
    assert.deepEqual(withoutTime(outcome), failed('timed out'))
    assert.ok(outcome.tookMs >= hasty.connectMsMax - 5, `${outcome.tookMs} ms`)
  })

  test('the headers of the call are invalid', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const outcome = await open(context, patient).send({ ...callTo(receiver), headers: { 'x-y': 'a\r\nb: c' } })
    assert.deepEqual(withoutTime(outcome), failed('the call could not be made'))
    assert.deepEqual(receiver.requests, [])
  })
})

describe('with TLS', () => {
  const host = 'receiver.example.com'
  const lookup = async () => ['127.0.0.1']
  const trusting = { ...patient, lookup, caCertificates: [certificate] }

  test('the certificate is checked for the host of the URL, and the connection is reused', async (context) => {
    const receiver = await listenSecurely(context, (socket) => socket.write(answer('200 OK', 'safe')))
    const sender = open(context, trusting)
    for (const _ of [1, 2]) {
      const outcome = await sender.send({ ...call, url: `https://${host}:${receiver.port}/` })
      assert.deepEqual(withoutTime(outcome), answered(200, 'safe'))
      await breath()
    }
    assert.equal(receiver.connections(), 1)
    assert.deepEqual(receiver.names, [host])
    assert.deepEqual(receiver.protocols, ['http/1.1'])
    assert.ok(receiver.requests[0]?.includes(`\r\nhost: ${host}:${receiver.port}\r\n`))
  })

  test('certificates are verified for hosts with a trailing dot and for IP addresses', async (context) => {
    const receiver = await listenSecurely(context, (socket) => socket.write(answer('200 OK', 'safe')))
    for (const name of [`${host}.`, '127.0.0.1'])
      assert.deepEqual(
        withoutTime(await open(context, trusting).send({ ...call, url: `https://${name}:${receiver.port}/` })),
        answered(200, 'safe'),
      )
    assert.deepEqual(receiver.names, [host, ''])
  })

  test('an untrusted certificate is refused before anything is sent, whatever the environment contains', async (context) => {
    const receiver = await listenSecurely(context, (socket) => socket.write(answer('200 OK')))
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    context.after(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    })
    const outcome = await open(context, { ...patient, lookup }).send({
      ...call,
      url: `https://${host}:${receiver.port}/`,
    })
    assert.equal(outcome.kind, 'failed')
    assert.match(outcome.error ?? '', /^TLS: .*self.signed/)
    assert.deepEqual(receiver.requests, [])
    await receiver.allGone()
  })

  test('a certificate for another name is refused', async (context) => {
    const receiver = await listenSecurely(context, (socket) => socket.write(answer('200 OK')))
    const outcome = await open(context, trusting).send({ ...call, url: `https://other.example.com:${receiver.port}/` })
    assert.deepEqual(withoutTime(outcome), failed('TLS: the certificate is for another name'))
    assert.deepEqual(receiver.requests, [])
    await receiver.allGone()
  })

  test('a receiver without TLS, or one that stops or closes during the handshake, fails', async (context) => {
    for (const [behave, error, options] of [
      [(socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), /^TLS: /, trusting],
      [() => {}, /^timed out$/, { ...trusting, ...hasty, exchangeMsMax: 20_000 }],
      [(socket: Socket) => socket.resetAndDestroy(), /^connection lost$/, trusting],
      [(socket: Socket) => socket.end(), /^connection lost$/, trusting],
    ] as const) {
      const receiver = await listenRaw(context, (socket) => socket.once('data', () => behave(socket)))
      const url = `https://${host}:${receiver.port}/`
      const outcome = await soon(open(context, options).send({ ...call, url }))
      assert.equal(outcome.kind, 'failed')
      assert.match(outcome.error ?? '', error)
      assert.equal(receiver.connections(), 1, 'it is not tried again')
      await receiver.allGone()
    }
  })
})

describe('connections', () => {
  test('are reused for the next call', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, patient)
    for (let round = 0; round < 5; round += 1) {
      assert.equal((await sender.send(callTo(receiver))).statusCode, 200)
      await breath()
    }
    assert.equal(receiver.connections(), 1)
  })

  test('are used for any number of calls, each of which may have a response of 16 KiB', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK', 'y'.repeat(16_000))))
    const sender = open(context, patient)
    for (let round = 0; round < 120; round += 1) {
      assert.deepEqual(withoutTime(await sender.send(callTo(receiver))), answered(200, 'y'.repeat(4_096)))
      await breath()
    }
    assert.equal(receiver.connections(), 1)
  })

  test('are replaced after a limited time', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, { ...patient, connectionMsMax: 1 })
    while (receiver.connections() < 3) assert.equal((await sender.send(callTo(receiver))).statusCode, 200)
    await receiver.until(() => receiver.open() <= 1)
  })

  test('are at most eight to one URL, and every call is sent in its turn', async (context) => {
    const receiver = await listen(context, (socket) => setImmediate(() => socket.write(answer('200 OK'))))
    const sender = open(context, patient)
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => sender.send(callTo(receiver))))
    assert.deepEqual(new Set(outcomes.map(({ statusCode }) => statusCode)), new Set([200]))
    assert.equal(receiver.requests.length, 200)
    assert.ok(receiver.atOnceMax() <= 8, `${receiver.atOnceMax()} at once`)
  })

  test('to one URL do not delay calls to another', async (context) => {
    const sick = await listen(context, () => {})
    const well = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, patient)
    const stuck = Array.from({ length: 20 }, () => sender.send(callTo(sick)))
    assert.equal((await sender.send(callTo(well))).statusCode, 200)
    await sender.close()
    for (const { kind } of await Promise.all(stuck)) assert.equal(kind, 'failed')
  })

  test('that are never released make waiting calls time out without being sent', async (context) => {
    let isWell = false
    const receiver = await listen(context, (socket) => {
      if (isWell) socket.write(answer('200 OK'))
    })
    const sender = open(context, hasty)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => sender.send(callTo(receiver))))
    const sent = outcomes.filter(({ error }) => error === 'answer too slow').length
    // A waiting call is not sent either when a call before it times out.
    assert.equal(sent, 8)
    assert.equal(outcomes.filter(({ error }) => error === 'timed out').length, 20 - sent)
    isWell = true
    // A call that still waited would be sent before the probe.
    let probe: CallOutcome | undefined
    for (let tries = 0; probe?.statusCode !== 200 && tries < 20; tries += 1)
      probe = await sender.send({ ...callTo(receiver), body: 'probe' })
    assert.equal(probe?.statusCode, 200)
    assert.equal(receiver.requests.filter((request) => !request.endsWith('probe')).length, sent)
  })

  test('that the receiver has closed are replaced', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, patient)
    await sender.send(callTo(receiver))
    for (const socket of receiver.sockets) socket.end()
    await receiver.allGone()
    assert.equal((await sender.send(callTo(receiver))).statusCode, 200)
    assert.equal(receiver.connections(), 2)
  })

  test('that were reset before anything was written do not make a call fail', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, patient)
    for (let round = 0; round < 10; round += 1) {
      await sender.send(callTo(receiver))
      // The connections are reset and the call is sent in one turn of the loop, before the sender can notice.
      const outcome = await new Promise<CallOutcome>((resolve) => {
        setImmediate(() => {
          for (const socket of receiver.sockets) socket.resetAndDestroy()
          resolve(sender.send(callTo(receiver)))
        })
      })
      assert.deepEqual(withoutTime(outcome), answered(200, ''))
    }
    assert.equal(receiver.requests.length, 20)
  })

  test('that break after the call was written are not retried', async (context) => {
    const receiver = await listen(context, (socket, turn) => {
      if (turn === 0) socket.write(answer('200 OK'))
      else socket.resetAndDestroy()
    })
    const sender = open(context, patient)
    await sender.send(callTo(receiver))
    await breath()
    assert.deepEqual(withoutTime(await sender.send(callTo(receiver))), failed('connection lost'))
    assert.equal(receiver.requests.length, 2)
  })

  test('use the next address in time if an earlier one refuses or does not respond', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const { Socket: Idle } = await import('node:net')
    const dialled: string[] = []
    const sender = open(context, {
      ...patient,
      connectMsMax: 2_400,
      lookup: async () => ['127.0.0.3', '127.0.0.4', '127.0.0.1'],
      dial: (address, port) => {
        dialled.push(address)
        return address === '127.0.0.4' ? new Idle() : connect({ host: address, port })
      },
    })
    const outcome = await sender.send({ ...call, url: `http://hooks.example.com:${receiver.port}/` })
    assert.deepEqual(withoutTime(outcome), answered(200, ''))
    assert.deepEqual(dialled, ['127.0.0.3', '127.0.0.4', '127.0.0.1'])
    assert.ok(receiver.requests[0]?.includes(`\r\nhost: hooks.example.com:${receiver.port}\r\n`))
  })

  test('to many URLs work concurrently, and are kept for at most 512 URLs', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, { ...patient, lookup: async () => ['127.0.0.1'] })
    for (let batch = 0; batch < 11; batch += 1) {
      const calls = Array.from({ length: 50 }, (_, index) =>
        sender.send({ ...call, url: `http://shop${batch * 50 + index}.example.com:${receiver.port}/` }),
      )
      for (const { statusCode } of await Promise.all(calls)) assert.equal(statusCode, 200)
    }
    // 550 origins were called, and at most 512 connections are kept.
    assert.equal(receiver.requests.length, 550)
    await receiver.until(() => receiver.open() <= 512)
    await sender.close()
    await receiver.allGone()
  })
})

describe('closing the sender', () => {
  test('ends calls in every state, and accepts no new ones', async (context) => {
    const receiver = await listen(context, () => {})
    const secure = await listenRaw(context, () => {})
    let resolveName: (addresses: string[]) => void = () => {}
    const { Socket: Idle } = await import('node:net')
    let dialledLate = false
    const sender = open(context, {
      ...patient,
      lookup: () =>
        new Promise((resolve) => {
          resolveName = resolve
        }),
      dial: (address, port) => {
        if (port === 8081) dialledLate = true
        return port === 8080 ? new Idle() : connect({ host: address, port })
      },
    })
    const sends = [
      ...Array.from({ length: 10 }, () => sender.send(callTo(receiver))),
      sender.send({ ...call, url: `https://127.0.0.1:${secure.port}/` }),
      sender.send({ ...call, url: 'http://127.0.0.1:8080/' }),
      sender.send({ ...call, url: 'http://hooks.example.com:8081/' }),
    ]
    await receiver.until(() => receiver.requests.length === 8)
    await secure.until(() => secure.connections() === 1)
    // Closing does not wait for any deadline.
    const end = async () => {
      await sender.close()
      for (const outcome of await Promise.all(sends))
        assert.deepEqual(withoutTime(outcome), failed('the sender was closed'))
      assert.deepEqual(withoutTime(await sender.send(callTo(receiver))), failed('the sender was closed'))
      await receiver.allGone()
      await secure.allGone()
    }
    await soon(end())
    resolveName(['127.0.0.1'])
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(dialledLate, false)
    await sender.close()
  })

  test('ends connections that are kept for reuse', async (context) => {
    const receiver = await listen(context, (socket) => socket.write(answer('200 OK')))
    const sender = open(context, patient)
    await sender.send(callTo(receiver))
    assert.equal(receiver.open(), 1)
    await sender.close()
    await receiver.allGone()
  })
})

// A connection is free again one turn of the loop after its response.
async function breath(): Promise<void> {
  for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve))
}

const call = { headers: { 'content-type': 'application/json' }, body: '{"a":1}' }

function callTo({ url }: { url: string }) {
  return { ...call, url: `${url}/webhooks` }
}

function open(context: TestContext, options: SenderOptions): Sender {
  const sender = createSender(options)
  context.after(() => sender.close())
  return sender
}

// Asserts that this takes less than the time, counted in ticks of the event loop: time in which the machine did other things does not
// count.
async function soon<Value>(waiting: Promise<Value>, msMax = soonMs): Promise<Value> {
  const { value, ms } = await ticked(() => waiting)
  assert.ok(ms < msMax, `${ms} ms`)
  return value
}

function withoutTime({ tookMs: _, ...rest }: CallOutcome): Omit<CallOutcome, 'tookMs'> {
  return rest
}

function answered(statusCode: number, text: string): Omit<CallOutcome, 'tookMs'> {
  return { kind: 'answered', statusCode, retryAfter: null, error: null, answer: text }
}

function failed(error: string): Omit<CallOutcome, 'tookMs'> {
  return { kind: 'failed', statusCode: null, retryAfter: null, error, answer: null }
}

function answer(status: string, body = '', headers = ''): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

// Writes for as long as the other side reads.
function flood(socket: Socket, piece: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece)) {}
  }
  socket.on('drain', more)
  more()
}

// A receiver that reads whole calls and responds to each by `behave`, which gets the number of the call on its connection.
async function listen(context: TestContext, behave: (socket: Socket, turn: number) => void) {
  const requests: string[] = []
  const receiver = await listenRaw(context, (socket) => readCalls(socket, requests, behave))
  return Object.assign(receiver, { requests })
}

async function listenSecurely(context: TestContext, behave: (socket: Socket, turn: number) => void) {
  const requests: string[] = []
  const names: string[] = []
  const protocols: (string | false | null)[] = []
  const server = tls.createServer(
    { key: privateKey, cert: certificate, ALPNProtocols: ['h2', 'http/1.1'] },
    (socket) => {
      names.push(socket.servername || '')
      protocols.push(socket.alpnProtocol)
      socket.on('error', () => {})
      readCalls(socket, requests, behave)
    },
  )
  server.on('tlsClientError', () => {})
  return Object.assign(await started(context, server), { requests, names, protocols })
}

function listenRaw(context: TestContext, greet: (socket: Socket) => void) {
  return started(context, createServer(greet))
}

function readCalls(socket: Socket, requests: string[], behave: (socket: Socket, turn: number) => void): void {
  let heard = Buffer.alloc(0)
  let turn = 0
  socket.on('data', (chunk) => {
    heard = Buffer.concat([heard, chunk])
    const headEnd = heard.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/content-length: (\d+)/i.exec(heard.subarray(0, headEnd).toString())?.[1] ?? 0)
    if (heard.length < headEnd + 4 + length) return
    requests.push(heard.subarray(0, headEnd + 4 + length).toString())
    heard = heard.subarray(headEnd + 4 + length)
    behave(socket, turn)
    turn += 1
  })
}

async function started(context: TestContext, server: Server) {
  const sockets = new Set<Socket>()
  let connections = 0
  let atOnceMax = 0
  let bytesWritten = 0
  const waiting: (() => void)[] = []
  const changed = () => {
    for (const look of waiting.splice(0)) look()
  }
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    atOnceMax = Math.max(atOnceMax, sockets.size)
    socket.on('error', () => {})
    socket.on('data', () => setImmediate(changed))
    socket.on('close', () => {
      bytesWritten += socket.bytesWritten
      sockets.delete(socket)
      changed()
    })
    changed()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  context.after(close)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    sockets: sockets as ReadonlySet<Socket>,
    connections: () => connections,
    open: () => sockets.size,
    atOnceMax: () => atOnceMax,
    bytesWritten: () => bytesWritten,
    until,
    // Waits until the other side has ended every connection.
    allGone: () => until(() => sockets.size === 0),
    close,
  }
}
