// The rules of docs/STYLE.md that a text search can check: words that are avoided, the length of functions, and one name for one thing.
// What broke a rule before the rule was checked is listed here. The lists and counts may only get shorter.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { exportsOf, functionsOf, proseOf, segmentsOf } from '../harness/sourcetext.ts'

// How often each may stand in comments and names of tests of `src`, `tests` and `harness`.
const avoided: Readonly<Record<string, number>> = {
  doorman: 0,
  desk: 0,
  downstairs: 0,
  house: 0,
  till: 0,
  anybody: 9,
  nobody: 77,
  'so that': 51,
  somebody: 28,
  told: 102,
  whoever: 69,
}

const linesMax = 60
// Of a line with markup. The formatter of the code does not break templates.
const markupLengthMax = 140

const longFunctions = wordsOf(`
  accountVerbs addUploads adminCatalogOperations adminDeveloperOperations adminImportOperations adminOrderOperations
  adminPeopleOperations adminShopOperations adminWebhookOperations artifactAdapter cartOperations catalogOperations checkBeside
  checkoutPages connectorOf createActions createAttempts createConnections createIdentify createOAuthGate createOAuthPages
  createPaymentWatch createSandboxProvider createServe createServer createService createSignIn createSink createStripeAccounts
  createStripeProvider createThrottle readProductDraft draftToEntry finish groupsOf renderGuide importProducts
  createPooledConnections loopsFor oauthOperations openSnapshots planProduct readCsv readFeed settingsFor sitePages startLoop
  storage
`)

// Exported by more than one file of `src`.
const sharedNames = wordsOf(`
  App Availability CallParts CartAddress CodeOutcome CodeView Column Customer Field Installation Log Merchant Mode Order Plural
  ProductStatus PromotionStatus Refusal RefusedRow Scope ServerParts Session SignInView StripeFailure TextKey answerPage ar
  createApp de en endSession errorPage es failedPage findOrder findSession fr isGivenUp isOfOrder isOutdated isPicture
  isReadOnly ja listOf listOrders merchantMembers nl pageIn refundMark script shownMethod style voidMark
  wholeCode
`)

const root = join(import.meta.dirname, '..')
const texts = new Map(
  ['src', 'tests', 'harness'].flatMap(filesIn).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)
// Comments in these folders name their noun.
const commented = ['src', 'apps', 'harness']
  .flatMap(filesIn)
  .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
const sources = [...texts]
  .filter(([file]) => file.startsWith('src/') && !file.endsWith('.test.ts'))
  .map(([, text]) => text)

describe('style', () => {
  for (const [word, max] of Object.entries(avoided))
    test(`comments and names of tests have "${word}" at most ${max} times`, () => {
      const found = [...texts]
        .map(([file, text]) => [file, countOf(word, text)] as const)
        .filter(([, count]) => count > 0)
      const total = found.reduce((sum, [, count]) => sum + count, 0)
      assert.ok(total <= max, `"${word}" stands ${total} times; use another word. It is in ${found.flat().join(' ')}`)
    })

  test('comments name their noun and do not begin with "Of"', () => {
    const found = commented.flatMap(([file, text]) => nounlessIn(text).map((comment) => `${file}: ${comment}`))
    assert.deepEqual(found, [], 'write "Per shop." or "The session\'s token.", not "Of one shop." or "Of the session."')
  })

  test(`functions have at most ${linesMax} lines`, () => {
    const found = sources.flatMap(functionsOf).filter(({ lines }) => lines > linesMax)
    assert.deepEqual(
      found.filter(({ name }) => !longFunctions.has(name)),
      [],
      'split them',
    )
  })

  test(`lines of markup have at most ${markupLengthMax} characters`, () => {
    const pages = [...texts].filter(([file, text]) => file.startsWith('src/') && text.includes('html`'))
    assert.deepEqual(
      pages.flatMap(([file, text]) => longMarkupIn(text).map((line) => `${file}: ${line}`)),
      [],
      'one element a line: an indented line continues the line before it (src/platform/html/html.ts)',
    )
  })

  test('a name is exported by one file only', () => {
    assert.deepEqual(
      sharedIn(sources).filter((name) => !sharedNames.has(name)),
      [],
      'one name, one meaning: rename one of them',
    )
  })

  test('exceptions that are no longer needed are not listed', () => {
    const long = new Set(sources.flatMap(functionsOf).flatMap(({ name, lines }) => (lines > linesMax ? [name] : [])))
    const shared = new Set(sharedIn(sources))
    assert.deepEqual(
      [...longFunctions].filter((name) => !long.has(name)),
      [],
      'remove them from longFunctions',
    )
    assert.deepEqual(
      [...sharedNames].filter((name) => !shared.has(name)),
      [],
      'remove them from sharedNames',
    )
  })
})

describe('the checks of style', () => {
  const long = `export async function long() {\n${'  work()\n'.repeat(linesMax)}}\n`

  test('find a word in a comment and in the name of a test, but not in code or other texts', () => {
    const sample = `const house = 'house' // a house\ntest('in the House', () => {})\n/* houses */ say(\`house $\{house}\`)`
    assert.equal(countOf('house', sample), 3)
    assert.equal(countOf('so that', '// It is so that it works, so\n// that is all.'), 1)
  })

  test('find a comment that begins with "Of", but not a later line of a comment or a text that does', () => {
    const sample = `// Of one shop.\nconst a = '// Of one' // Of two\na()\n/* Of three */\n\n// The size\n// Of nothing else.\n/** Off. */`
    assert.deepEqual(nounlessIn(sample), ['// Of one shop.', '// Of two', '/* Of three */'])
  })

  test('find a long function, also an arrow function and beside texts with braces', () => {
    assert.deepEqual(functionsOf(long), [{ name: 'long', lines: linesMax + 2 }])
    const arrow = `const far = (a: string): void => {\n  say(\`\n}\n$\{a}\`, /[}/]\\/\`/)\n}\nconst made = run(() => {\n})`
    assert.deepEqual(functionsOf(arrow), [{ name: 'far', lines: 5 }])
  })

  test('find a long line of markup, but not a long comment or text', () => {
    const wide = ' and more'.repeat(markupLengthMax / 9 + 1)
    const sample = `// <p>${wide}\nconst text = '<p>${wide}'\nconst a = html\`<p>\n<b>${wide}</b>\n$\{wide}</p>\``
    assert.deepEqual(longMarkupIn(sample), [`<b>${wide}</b>`])
  })

  test('find a name that two files export', () => {
    assert.deepEqual(sharedIn([long, 'export const long = 1\nexport type Other = 2', '// export const Other\n']), [
      'long',
    ])
  })

  test('parse every file completely', () => {
    for (const [file, text] of texts)
      assert.equal(
        segmentsOf(text)
          .map((segment) => segment.text)
          .join(''),
        text,
        file,
      )
  })
})

function countOf(word: string, text: string): number {
  const prose = proseOf(text).join('\n')
  return prose.match(new RegExp(`\\b${word}s?\\b`, 'gi'))?.length ?? 0
}

function nounlessIn(text: string): string[] {
  const segments = segmentsOf(text)
  return segments.flatMap(({ kind, text: part }, index) => {
    const isNextLine = segments[index - 2]?.kind === 'comment' && /^\n[ ]*$/.test(segments[index - 1]?.text ?? '')
    return kind === 'comment' && /^\/[/*]+\s*Of /.test(part) && !isNextLine ? [part] : []
  })
}

// Their lines as the files have them, with the code around them.
function longMarkupIn(text: string): string[] {
  const isMarkup = segmentsOf(text)
    .map(({ kind, text: part }) => (kind === 'string' && /^[`}]/.test(part) ? part : part.replace(/[^\n]/g, ' ')))
    .join('')
    .split('\n')
    .map((line) => /<\/?[a-z]/.test(line))
  return text.split('\n').filter((line, index) => line.length > markupLengthMax && isMarkup[index])
}

function sharedIn(all: readonly string[]): string[] {
  const counts = Map.groupBy(all.flatMap(exportsOf), (name) => name)
  return [...counts].flatMap(([name, { length }]) => (length > 1 ? [name] : [])).sort()
}

function filesIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const own = 'tests/style.test.ts'
  return files.map((file) => `${folder}/${file}`).filter((file) => /\.[jt]s$/.test(file) && file !== own)
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}
