import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminRefusalCodes } from '../../contract/admin/operations.ts'
import { type IssueCode, issue, issueCodes, issueSentences } from '../../contract/issues.ts'
import { type RemarkCode, remark, remarkCodes, remarkSentences } from '../../contract/remarks.ts'
import { refusedRowView, remarkView } from '../../ops/imports/remarkview.ts'
import { dashboardTexts, dashboardWordsFor, dashboardWordsIn } from './words.ts'

const { en } = dashboardTexts
const placeholders = (text: unknown) => [...JSON.stringify(text).matchAll(/\{\w+\}/g)].map(([name]) => name)

// Rules of apps, keys, webhooks and files are read by developers.
const isOfPrograms = (code: IssueCode) =>
  /^(?:target|redirect|header|bad_|url_|ascii|number|nested|malformed|ends_early|forbidden|repeated_(?:name|key)|not_utf8|not_a_key|private_key|unknown_key|not_base64|invalid_key|weak_key|file|app_of|key_count|not_visible_ascii|not_an_api_key|not_a_subscription|unknown_event|no_event|too_many_|not_an_id|pattern|empty_search)/.test(
    code,
  )
const ruleCodesOfForms = issueCodes.filter((code) => !isOfPrograms(code)).map((code) => ({ code }))

describe('the texts of the dashboard', () => {
  for (const [language, { texts }] of Object.entries(dashboardTexts))
    test(`${language} has every text, with the placeholders of the English one`, () => {
      assert.deepEqual(Object.keys(texts), Object.keys(en.texts))
      for (const [key, text] of Object.entries(en.texts))
        assert.deepEqual(
          new Set(placeholders(texts[key as keyof typeof texts])),
          new Set(placeholders(text)),
          `${language} ${key}`,
        )
    })

  test('the language is the first of the browser’s languages that exists, with its region', () => {
    assert.equal(dashboardWordsFor(undefined, 'UTC').language, 'en')
    const swiss = dashboardWordsFor('pt-BR,de-CH;q=0.9,en;q=0.8', 'UTC')
    assert.deepEqual([swiss.language, swiss.locale], ['de', 'de-CH'])
    assert.equal(dashboardWordsFor('toString,__proto__', 'UTC').language, 'en')
  })

  test('the language that a person has chosen takes precedence, with the browser’s region for it', () => {
    const localeOf = (accept: string, chosen: string | null) => dashboardWordsFor(accept, 'UTC', chosen).locale
    assert.equal(localeOf('en-US,de-AT;q=0.5', 'de'), 'de-AT')
    assert.deepEqual([localeOf('en-US', 'de'), localeOf('de-CH', 'en')], ['de', 'en-GB'])
    assert.deepEqual([localeOf('de-CH', null), localeOf('de-CH', 'tlh')], ['de-CH', 'de-CH'])
  })

  test('numbers select the plural form, and days are in the shop’s time zone', () => {
    const words = dashboardWordsIn('en-GB', 'Pacific/Auckland')
    assert.equal(words.say('done.sentMany', { count: 1 }), '1 parcel sent.')
    assert.equal(words.say('done.sentMany', { count: 40 }), '40 parcels sent.')
    assert.equal(words.day('2026-11-16T12:00:00Z'), '17 Nov 2026')
    assert.equal(words.calendarDay('2026-11-16'), '16 Nov 2026')
    assert.equal(words.money(199_950, 'EUR'), '€1,999.50')
  })

  test('an issue is shown in the language, with its values', () => {
    const [german, english] = [dashboardWordsIn('de', 'UTC'), dashboardWordsIn('en', 'UTC')]
    const rule = issue('integer_out_of_range', { min: 0, max: 9_999 })
    assert.equal(german.issue(rule), 'Bitte eine ganze Zahl von 0 bis 9.999 eingeben.')
    assert.equal(english.issue(rule), 'Please enter a whole number from 0 to 9,999.')
    const either = issue('not_either', { alternatives: ['test', 'live'] })
    assert.deepEqual(
      [german.issue(either), english.issue(either)],
      ['Bitte test oder live wählen.', 'Please choose test or live.'],
    )
    assert.equal(
      german.issue(issue('not_a_slug')),
      'Nur Kleinbuchstaben und Ziffern, dazwischen einzelne Bindestriche.',
    )
  })

  for (const [language, { issues }] of Object.entries(dashboardTexts))
    test(`${language} has a text for every code of an issue, with values that the contract has`, () => {
      assert.deepEqual(Object.keys(issues).sort(), [...issueCodes].sort())
      for (const code of issueCodes) {
        const known = placeholders(issueSentences[code])
        assert.deepEqual(
          placeholders(issues[code]).filter((name) => !known.includes(name)),
          [],
          code,
        )
        assert.ok(issues[code].length > 3, code)
      }
    })

  test('remarks of an import are shown in the language, with the line and the consequence', () => {
    const [german, english] = [dashboardWordsIn('de', 'UTC'), dashboardWordsIn('en', 'UTC')]
    const note = remarkView({ ...remark('stock_left_out', { value: 'many', max: 1_000_000 }), line: 1_007 })
    assert.equal(
      german.remark(note),
      'Zeile 1007: Der Bestand "many" ist keine ganze Zahl bis 1.000.000 und wurde ausgelassen',
    )
    assert.equal(
      english.remark(note),
      'Line 1007: the stock "many" is not a whole number up to 1,000,000 and was left out',
    )
    assert.equal(german.remark(remarkView(remark('file_empty'))), 'Die Datei ist leer')
    const names = ['handle', 'url handle']
    assert.match(
      german.remark(remarkView(remark('column_missing', { names }))),
      /keine Spalte "handle" oder "url handle":/,
    )
    const claim = remark('compare_at_price_not_shown', { slug: 'mug', members: ['A', 'B'], more: 3 })
    assert.match(german.remark(remarkView(claim)), /^mug: Der Vergleichspreis von A, B und 3 weiteren ist gespeichert/)
    const row = { line: 2, name: 'mug' }
    const comma = { ...remark('price_has_comma', { value: '12,50' }), moreRows: 2, leavesOut: true }
    assert.equal(
      german.refusedRow(refusedRowView({ ...row, reason: comma })),
      'Der Preis "12,50" hat ein Komma; schreiben Sie ihn wie 1299.00 (und 2 weitere Zeilen); das Produkt wird ausgelassen',
    )
    const repeated = refusedRowView({ ...row, reason: remark('sku_repeated', { otherLine: 1_002 }) })
    assert.equal(german.refusedRow(repeated), 'Die SKU steht schon in Zeile 1002')
  })

  test('a remark of a newer release is shown with its own message', () => {
    const { remark: shown, refusedRow } = dashboardWordsIn('de', 'UTC')
    // The code is not one of this version.
    const code = 'toString' as RemarkCode
    assert.equal(shown({ line: 4, code, values: {}, message: 'new here' }), 'Zeile 4: new here')
    const row = { line: 4, name: '', code, values: {}, reason: 'new; the product is left out' }
    assert.equal(refusedRow({ ...row, moreRows: 0, leavesOut: true }), row.reason)
  })

  for (const [language, { remarks }] of Object.entries(dashboardTexts))
    test(`${language} has a text for every remark about a file, with the values of the contract`, () => {
      assert.deepEqual(Object.keys(remarks), remarkCodes)
      for (const code of remarkCodes) {
        const [own, known] = [remarks[code], remarkSentences[code]].map((text) => new Set(placeholders(text)))
        assert.deepEqual(own, known, code)
        if (language !== 'en' && code !== 'earlier') assert.notEqual(remarks[code], remarkSentences[code], code)
      }
    })

  // Words of programs, which no merchant has to know.
  const ofPrograms =
    /\b(?:integer|string|array|boolean|null|minor units|JSON|slug|ISO 3166|basis points|member of|the contract|resource)\b/i

  for (const [language, { refusals, issues }] of Object.entries(dashboardTexts)) {
    test(`${language} has its own sentence for every refusal of an admin operation, without technical terms`, () => {
      for (const code of adminRefusalCodes) {
        const text = refusals[code] ?? ''
        assert.match(text, /^\p{Lu}.*[.!?]$/su, `${language} ${code}`)
        assert.doesNotMatch(text, ofPrograms, `${language} ${code}`)
      }
    })

    test(`${language} has sentences without technical terms for the rules of fields`, () => {
      for (const { code } of ruleCodesOfForms) {
        assert.doesNotMatch(issues[code], ofPrograms, `${language} ${code}`)
        assert.match(issues[code], /^(?:\p{Lu}|\{\w+\} \p{Ll})/u, `${language} ${code}`)
        // Sentences of the contract begin with a verb. Those of the dashboard are whole sentences.
        assert.doesNotMatch(issues[code], /^(?:must|is|has|goes|holds|its|needs) /i, `${language} ${code}`)
      }
    })
  }

  test('a refusal is shown in the language if the language has a text for it', () => {
    const refusal = { code: 'order_not_paid', message: 'The order is not paid.' } as const
    assert.equal(dashboardWordsIn('de', 'UTC').refusal(refusal), 'Die Bestellung ist nicht bezahlt.')
    assert.equal(dashboardWordsIn('en', 'UTC').refusal(refusal), 'The order is not paid.')
  })
})
