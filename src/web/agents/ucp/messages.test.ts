import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueAt } from '../../../contract/issues.ts'
import { agentTexts } from '../../languages/agents.ts'
import { languages } from '../../languages/checkout/texts.ts'
import {
  addressMessage,
  agentWordsFor,
  codeMessage,
  lineMessage,
  shownMessages,
  type UcpMessage,
  ucpNotices,
} from './messages.ts'

const places = new Map([['sku_1', 0]])
const line = { name: 'Mug', asked: 5, got: 3 }
const messages: UcpMessage[] = [
  ...Object.values(ucpNotices).map((make) => (make as (...args: unknown[]) => UcpMessage)(120, 'EUR')),
  ...(['not_found', 'item_unavailable', 'out_of_stock'] as const).flatMap(
    (reason) => lineMessage({ kind: 'left_out', item: 'sku_2', name: 'Vase', reason }, places) ?? [],
  ),
  ...[lineMessage({ kind: 'adjusted', skuId: 'sku_1', ...line }, places) ?? []].flat(),
  ...(['not_found', 'expired', 'minimum_not_met', 'second', 'guessed'] as const).flatMap(
    (reason) => codeMessage({ code: 'SPRING', reason }, 1) ?? [],
  ),
  addressMessage(issueAt('/address/postalCode', 'needed_in_country'), 'DE'),
  addressMessage(issueAt('/address/country', 'not_a_country'), ''),
]

const shownIn = (locale: string) => shownMessages(messages, agentWordsFor(locale, undefined))

test('every language has every text, with the same codes', () => {
  const english = shownIn('en')
  // The messages of two codes are for developers of the platform, and may be in English in every language.
  const isForBuyers = ({ code }: { code: string }) => code !== 'capabilities_incompatible' && code !== 'unauthorized'
  for (const language of languages) {
    assert.deepEqual(Object.keys(agentTexts[language]), Object.keys(agentTexts.en), language)
    const shown = shownIn(language)
    assert.deepEqual(
      shown.map(({ content: _, ...rest }) => rest),
      english.map(({ content: _, ...rest }) => rest),
    )
    for (const [at, { content, content_type: kind, ...message }] of shown.entries()) {
      assert.equal(kind, 'plain')
      assert.doesNotMatch(content, /\{|\}|undefined|NaN/, `${language} ${message.code}`)
      assert.ok(content.length > 5, `${language} ${message.code}`)
      if (language !== 'en' && isForBuyers(message)) assert.notEqual(content, english[at]?.content, message.code)
    }
  }
})

test('the language is that of the checkout, otherwise that of the request, otherwise English', () => {
  const said = (locale: string | null, accepted?: string) => agentWordsFor(locale, accepted).tell('page.pay')
  const german = agentTexts.de['page.pay']
  assert.deepEqual(
    [said('de-AT', 'fr'), said('auto', 'de-CH,fr;q=0.5'), said(null, 'tlh'), said('pt-BR')],
    [german, german, agentTexts.en['page.pay'], agentTexts.en['page.pay']],
  )
  const [line5] = shownMessages([ucpNotices.taxIncluded(123456, 'EUR')], agentWordsFor('de', undefined))
  assert.equal(line5?.content, 'Enthält 1.234,56\u00a0€ MwSt.')
})
