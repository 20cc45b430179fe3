import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { adminRefusalCodes } from '../../contract/admin/operations.ts'
import { type IssueCode, issue, issueCodes, issueSentences } from '../../contract/issues.ts'
import { dashboardTexts, wordsFor, wordsIn } from './words.ts'

const { en } = dashboardTexts
const placeholders = (text: unknown) => [...JSON.stringify(text).matchAll(/\{\w+\}/g)].map(([name]) => name)

// Rules of apps, keys, webhooks and files are read by those who write programs.
const isOfPrograms = (code: IssueCode) =>
  /^(?:target|redirect|header|bad_|url_|ascii|number|nested|malformed|ends_early|forbidden|repeated_(?:name|key)|not_utf8|not_a_key|private_key|unknown_key|not_base64|invalid_key|weak_key|file|app_of|key_count|not_visible_ascii|not_an_api_key|not_a_subscription|unknown_event|no_event|too_many_|not_an_id|pattern|empty_search|not_a_slug|not_an_option)/.test(
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

  test('the language is the first of the browser that there is, with its region', () => {
    assert.equal(wordsFor(undefined, 'UTC').language, 'en')
    const swiss = wordsFor('pt-BR,de-CH;q=0.9,en;q=0.8', 'UTC')
    assert.deepEqual([swiss.language, swiss.locale], ['de', 'de-CH'])
    assert.equal(wordsFor('toString,__proto__', 'UTC').language, 'en')
  })

  test('numbers choose the plural, and days are those of the shop', () => {
    const words = wordsIn('en-GB', 'Pacific/Auckland')
    assert.equal(words.say('done.sentMany', { count: 1 }), '1 parcel sent.')
    assert.equal(words.say('done.sentMany', { count: 40 }), '40 parcels sent.')
    assert.equal(words.day('2026-11-16T12:00:00Z'), '17 Nov 2026')
    assert.equal(words.calendarDay('2026-11-16'), '16 Nov 2026')
    assert.equal(words.money(199_950, 'EUR'), '€1,999.50')
  })

  test('a rule of the contract is said in the language, with its values', () => {
    const [german, english] = [wordsIn('de', 'UTC'), wordsIn('en', 'UTC')]
    const rule = issue('integer_out_of_range', { min: 0, max: 9_999 })
    assert.equal(german.issue(rule), 'Bitte eine ganze Zahl von 0 bis 9.999 eingeben.')
    assert.equal(english.issue(rule), 'Please enter a whole number from 0 to 9,999.')
    const either = issue('not_either', { alternatives: ['test', 'live'] })
    assert.deepEqual(
      [german.issue(either), english.issue(either)],
      ['Bitte test oder live wählen.', 'Must be test or live.'],
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

  test('what an import says about a row is said in the language, with the row and what follows from it', () => {
    const { aboutRow } = wordsIn('de', 'UTC')
    const sentence = 'the price "12,50" has a comma; write it like 1299.00 (and 2 more rows); the product is left out'
    assert.equal(
      aboutRow(sentence),
      'Der Preis "12,50" hat ein Komma; schreiben Sie ihn wie 1299.00 (und 2 weitere Zeilen); das Produkt wird ausgelassen',
    )
    assert.equal(
      aboutRow('line 7: the title was cut to 200 characters'),
      'Zeile 7: Der Titel wurde auf 200 Zeichen gekürzt',
    )
    assert.equal(aboutRow('there is no SKU with this code'), 'Es gibt keine SKU mit diesem Code')
    for (const unknown of ['something new; the product is left out', '']) assert.equal(aboutRow(unknown), unknown)
    assert.equal(wordsIn('en', 'UTC').aboutRow(sentence), sentence)
  })

  test('every sentence of the readers of files has a text in each language, with its values', () => {
    const sentences = sentencesOfReaders()
    assert.ok(sentences.length > 80, `${sentences.length} sentences`)
    const { aboutRow } = wordsIn('de', 'UTC')
    assert.deepEqual(
      sentences.filter((sentence) => aboutRow(sentence) === sentence),
      [],
    )
    assert.equal(
      aboutRow('line 3: the compare-at price was left out: the price "9,5" has a comma; write it like 1299.00'),
      'Zeile 3: Der Vergleichspreis wurde ausgelassen: Der Preis "9,5" hat ein Komma; schreiben Sie ihn wie 1299.00',
    )
    assert.equal(
      aboutRow('it does not fit to the SKUs that it does not name: /skus/1/options must name Size'),
      'Es passt nicht zu den SKUs, die die Datei nicht nennt: /skus/1/options: Bitte einen Wert für Size wählen.',
    )
    assert.equal(
      aboutRow('line 9: the quote that opens here is never closed'),
      'Zeile 9: Das Anführungszeichen, das hier beginnt, wird nie geschlossen',
    )
  })

  // Words of programs, which no merchant has to know.
  const ofPrograms =
    /\b(?:integer|string|array|boolean|null|minor units|JSON|slug|ISO 3166|basis points|member of|the contract|resource)\b/i

  for (const [language, { refusals, issues }] of Object.entries(dashboardTexts)) {
    test(`${language} has a sentence of its own for every refusal of an admin operation, in the words of people`, () => {
      for (const code of adminRefusalCodes) {
        const text = refusals[code] ?? ''
        assert.match(text, /^\p{Lu}.*[.!?]$/su, `${language} ${code}`)
        assert.doesNotMatch(text, ofPrograms, `${language} ${code}`)
      }
    })

    test(`${language} says the rules of fields in the words of people`, () => {
      for (const { code } of ruleCodesOfForms) assert.doesNotMatch(issues[code], ofPrograms, `${language} ${code}`)
    })
  }

  test('a refusal is said in the language where the table has it', () => {
    const refusal = { code: 'order_not_paid', message: 'The order is not paid.' } as const
    assert.equal(wordsIn('de', 'UTC').refusal(refusal), 'Die Bestellung ist nicht bezahlt.')
    assert.equal(wordsIn('en', 'UTC').refusal(refusal), 'The order is not paid.')
  })
})

// What stands in quotes and has a verb. Values are filled with a number, and a sentence within one with a sentence.
function sentencesOfReaders(): string[] {
  const files = [
    '{shopify,csv,xml,stockfile,codes,merge,plan,write}.ts',
    'formats/{feed,file,format,formats,google,medusa,woocommerce,wooheader,wix}.ts',
  ].flatMap((pattern) => globSync(`${import.meta.dirname}/../../ops/imports/${pattern}`))
  const literal = /'((?:[^'\n\\]|\\.)*)'|`((?:[^`\n$]|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`)*\})*)`/g
  const verb = /\b(?:is|are|was|were|has|have|does|differ|goes|mixes|ends|follows|names|brings|would|could|became)\b/
  return files
    .flatMap((file) => [
      ...readFileSync(file, 'utf8')
        .replace(/^\s*\/\/.*$/gm, '')
        .matchAll(literal),
    ])
    .map(([, plain, template]) =>
      (plain ?? template ?? '')
        .replace(/^would /, 'its category would ')
        .replace(/\$\{shown\}/, 'the price "7"')
        .replace(/\$\{amount\.reason\}/, 'the price is missing')
        .replace(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, '7')
        .replace(/^(columns that are .*: 7).*/, '$1'),
    )
    .filter(
      (text) =>
        verb.test(text.replaceAll('7', '')) &&
        !/^(?:its category )?7.*; the product is left out$|does not exist$/.test(text),
    )
}
