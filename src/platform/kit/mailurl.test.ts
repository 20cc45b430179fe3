import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseMailUrl } from './mailurl.ts'

describe('the URL for sending e-mails', () => {
  test('may be a mail server, with TLS from the start, by STARTTLS, or on this machine without TLS', () => {
    assert.deepEqual(parseMailUrl('smtp://ada:p%40ss@mail.example.com'), {
      kind: 'smtp',
      host: 'mail.example.com',
      port: 587,
      isTls: false,
      isLocal: false,
      auth: { user: 'ada', password: 'p@ss' },
    })
    assert.deepEqual(parseMailUrl('smtps://mail.example.com'), {
      kind: 'smtp',
      host: 'mail.example.com',
      port: 465,
      isTls: true,
      isLocal: false,
      auth: null,
    })
    const local = parseMailUrl('smtp://127.0.0.1:2525')
    assert.ok('kind' in local && local.kind === 'smtp' && local.isLocal && local.port === 2525)
  })

  test('may be a folder, or off', () => {
    assert.deepEqual(parseMailUrl('file:data/mail'), { kind: 'file', folder: 'data/mail' })
    assert.deepEqual(parseMailUrl('off'), { kind: 'off' })
  })

  for (const text of [
    '',
    'on',
    'file:',
    'file://data',
    'http://mail.example.com',
    'smtp://',
    'smtp://ada@mail.example.com',
    'smtp://:secret@mail.example.com',
    'smtp://ada:%zz@mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls.rejectUnauthorized=false',
  ])
    test(`${JSON.stringify(text)} is refused, and the error does not contain it`, () => {
      const parsed = parseMailUrl(text)
      assert.ok('problem' in parsed)
      assert.ok(!/ada|secret|example/.test(parsed.problem))
    })
})
