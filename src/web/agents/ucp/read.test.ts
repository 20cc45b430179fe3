import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUcpLocale } from './read.ts'

test('the language of a buyer becomes the locale of a session, or none if it is invalid', () => {
  for (const [tag, locale] of [
    ['de', 'de'],
    ['fr-ca', 'fr-CA'],
    ['pt_BR', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['es-419', 'es'],
    ['en-US-u-hc-h12', 'en-US'],
    ['auto', null],
    ['German', null],
    ['de;q=1', null],
    ['', null],
    [undefined, null],
  ] as const)
    assert.equal(parseUcpLocale(tag), locale, String(tag))
})
