import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminOperations } from '../../contract/admin/operations.ts'
import { issueAt } from '../../contract/issues.ts'
import { rightsFor } from '../../domain/users/roles.ts'
import { html } from '../../platform/html/html.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { chart, niceTop } from './chart.ts'
import {
  buildBody,
  type Field,
  parseTypedAmount,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from './form.ts'
import { menuPlaces } from './places.ts'
import type { ScreenVisit } from './screen.ts'
import { screens } from './screens.ts'
import { cursorFromLink, hrefWith, renderTable, renderTabs } from './table.ts'
import { redirectWithRefusal, redirectWithToast, renderToast } from './toast.ts'
import { dashboardWordsIn } from './words.ts'

function visitTo(here: string, role: 'owner' | 'viewer' = 'owner'): ScreenVisit {
  const words = dashboardWordsIn('en-GB', 'UTC')
  const { scopes } = rightsFor(role)
  const shop = {
    id: 'mer_1',
    slug: 'bloom',
    name: 'Bloom',
    ...rightsFor(role),
    needsSecondFactor: false,
    timeZone: 'UTC',
    currency: 'EUR',
    country: 'DE',
    views: [],
  } as const
  const visit: ScreenVisit = {
    userId: 'usr_1',
    email: 'ada@bloom.example',
    name: null,
    role,
    shop,
    shops: [shop],
    places: ['home', 'orders'],
    mode: 'live',
    words,
    path: {},
    query: new URLSearchParams(here.split('?')[1] ?? ''),
    rowCount: { list: 20, sheet: 20 },
    now: new Date(0),
    isConfirmed: true,
    isFactorMissing: false,
    account: () => assert.fail('no account is asked for'),
    language: null,
    userAgent: undefined,
    here,
    ask: async () => assert.fail('nothing is asked'),
    change: async () => assert.fail('nothing is changed'),
    may: (id) => scopes.includes(adminOperations[id].scope),
    to: (path) => `/admin/bloom/${path}`,
    inMode: () => visit,
    server: { sendsMail: false, origin: 'http://localhost' },
  }
  return visit
}

const fields: Field[] = [
  { name: 'carrier', label: 'Carrier', kind: 'line', lengthMax: 100, isNullable: true },
  { name: 'amount', label: 'Amount', kind: 'money', currency: 'EUR' },
  { name: 'street', label: 'Street', kind: 'line', pointer: '/address/line1' },
  { name: 'restock', label: 'Restock', kind: 'check' },
  { name: 'count', label: 'Count', kind: 'whole' },
  { name: 'note', label: 'Note', kind: 'text' },
]

describe('forms', () => {
  test('posted fields become the members of a body at their pointers', () => {
    const posted = new URLSearchParams({ carrier: '', amount: '12,50', street: ' A 1 ', count: '3', note: 'a\r\nb ' })
    assert.deepEqual(buildBody(dashboardWordsIn('en', 'UTC'), fields, posted), {
      body: { carrier: null, amount: 1250, address: { line1: 'A 1' }, restock: false, count: 3, note: 'a\nb' },
    })
  })

  test('amounts are parsed in unambiguous notations only', () => {
    const read = (text: string) => parseTypedAmount(text, 'EUR')
    assert.deepEqual(['12', '12.5', '012,50', '0'].map(read), [1200, 1250, 1250, 0])
    assert.deepEqual(['1.234,50', '1,234', '-1', '1e3', '', '12.345', 'twelve'].map(read), Array(7).fill(undefined))
    assert.equal(parseTypedAmount('500', 'JPY'), 500)
    assert.equal(parseTypedAmount('5.5', 'JPY'), undefined)
  })

  test('an invalid number is a problem at its field, and the typed text stays', () => {
    const posted = new URLSearchParams({ amount: 'lots', count: '1.5', carrier: 'DHL' })
    const outcome = buildBody(dashboardWordsIn('en', 'UTC'), fields, posted)
    assert.ok('problems' in outcome)
    assert.deepEqual(Object.keys(outcome.problems.at), ['/amount', '/count'])
    const values = readTypedValues(fields, posted)
    const text = String(
      renderForm(visitTo('/'), { action: '/x', fields, values, problems: outcome.problems, submit: 'Go' }),
    )
    assert.match(text, /role="alert"><p>Please check the marked fields\.<\/p>/)
    const links = [...text.matchAll(/<li><a href="#([^"]+)"( autofocus)?><bdi>(\w+)<\/bdi>: ([^<]+)</g)]
    assert.deepEqual(
      links.map(([, ...parts]) => parts),
      [
        ['field-amount', ' autofocus', 'Amount', 'Enter an amount such as 12.50.'],
        ['field-count', undefined, 'Count', 'Enter a whole number.'],
      ],
    )
    assert.match(text, /id="field-amount"[^>]*value="lots" aria-describedby="field-amount-problem" aria-invalid="true"/)
    assert.match(text, /name="carrier"[^>]*value="DHL"/)
  })

  test('a whole number out of bounds is a problem at its field, with the sentence of the contract', () => {
    const words = dashboardWordsIn('en', 'UTC')
    const said = (bounds: { min?: number; max?: number }, typed: string) => {
      const outcome = buildBody(
        words,
        [{ name: 'n', label: 'N', kind: 'whole', ...bounds }],
        new URLSearchParams({ n: typed }),
      )
      return 'problems' in outcome ? outcome.problems.at['/n'] : outcome.body
    }
    const between = 'Please enter a whole number from 1 to 9.'
    const wrong = ['0', '-1', '10', '9'.repeat(40)]
    assert.deepEqual(
      wrong.map((typed) => said({ min: 1, max: 9 }, typed)),
      Array(4).fill(between),
    )
    assert.deepEqual([said({ min: 1, max: 9 }, '9'), said({}, '-4'), said({ min: 1 }, '')], [{ n: 9 }, { n: -4 }, {}])
    assert.equal(said({ min: 1 }, '0'), 'Please enter a whole number of at least 1.')
    assert.equal(said({ max: 9 }, '10'), 'Please enter a whole number of at most 9.')
    assert.equal(said({ min: 1, max: 9 }, '1.5'), 'Enter a whole number.')
  })

  test('issues of a refusal are shown at their fields, and other issues above the form', () => {
    const words = dashboardWordsIn('en', 'UTC')
    const issues = [issueAt('/address/line1', 'required')]
    assert.deepEqual(problemsFromRefusal(words, refuse('invalid_request', { issues }), fields), {
      summary: 'Please check the marked fields.',
      at: { '/address/line1': 'Please fill in this field.' },
    })
    const other = problemsFromRefusal(words, refuse('order_not_paid'), fields)
    assert.deepEqual(other, { summary: 'The order is not paid.', at: {} })
    const slug = { name: 'slug', label: 'Address', kind: 'line', pointer: '/page/slug' } as const
    assert.deepEqual(Object.keys(problemsFromRefusal(words, refuse('page_exists'), [...fields, slug]).at), [
      '/page/slug',
    ])
    const mismatch = refuse('invalid_request', {
      issues: [issueAt('/link', 'pattern_mismatch', { pattern: '^https' })],
    })
    const link = { name: 'link', label: 'Link', kind: 'url' } as const
    assert.deepEqual(problemsFromRefusal(words, mismatch, [link]).at, {
      '/link': 'Please enter a whole address that begins with https://.',
    })
    const elsewhere = refuse('invalid_request', { issues: [issueAt('/rows/3', 'not_rising')] })
    assert.match(problemsFromRefusal(words, elsewhere, fields).summary ?? '', /row 4: Each step must be above/)
    const within = refuse('invalid_request', { issues: [issueAt('/address/line1/0', 'required')] })
    assert.deepEqual(Object.keys(problemsFromRefusal(words, within, fields).at), ['/address/line1'])
    const bounds = [issueAt('/amount', 'integer_out_of_range', { min: 1, max: 10_000 })]
    const amount = { name: 'amount', label: 'Amount', kind: 'money', currency: 'EUR' } as const
    assert.deepEqual(problemsFromRefusal(words, refuse('invalid_request', { issues: bounds }), [amount]).at, {
      '/amount': 'Please enter an amount from €0.01 to €100.00.',
    })
  })

  test('each rendered form has its own idempotency key, which is read when it is posted', () => {
    const draw = () => String(renderForm(visitTo('/'), { action: '/x', fields: [], submit: 'Go' }))
    const keys = [draw(), draw()].map((text) => /name="key" value="([^"]+)"/.exec(text)?.[1] ?? '')
    assert.notEqual(keys[0], keys[1])
    assert.equal(readKey(new URLSearchParams({ key: keys[0] ?? '' })), keys[0])
    assert.match(readKey(new URLSearchParams({ key: 'a b' })), /^[\w-]{36}$/)
  })

  test('typed values are escaped', () => {
    const values = { carrier: '"><script>', note: '</textarea><script>' }
    const text = String(renderForm(visitTo('/'), { action: '/x', fields, values, submit: 'Go' }))
    assert.doesNotMatch(text, /<script>/)
  })
})

describe('tables', () => {
  const columns = [
    { head: 'Name', cell: (row: { id: string }) => row.id, isMain: true },
    { head: 'Placed', cell: () => '1', sort: ['newest', 'oldest'] as const, align: 'end' as const },
  ]
  const parts = { label: 'Things', columns, idOf: ({ id }: { id: string }) => id, defaultSort: 'newest' }
  const here = '/admin/bloom/orders?status=placed&cursor=abc&done=sent&n=3'

  test('column heads change the sort order, pages have links, and no link repeats the message of a toast', () => {
    const text = String(
      renderTable(visitTo(here), {
        ...parts,
        rows: [{ id: 'a<b' }],
        hrefOf: ({ id }) => `/x/${id.length}`,
        next: '/api/v1/admin/orders?status=placed&cursor=next.one',
        empty: { title: 'None' },
      }),
    )
    assert.match(
      text,
      /aria-sort="descending"><a class="sort" href="\/admin\/bloom\/orders\?status=placed&amp;sort=oldest"/,
    )
    assert.match(text, /href="\/admin\/bloom\/orders\?status=placed&amp;cursor=next.one" rel="next"/)
    assert.match(text, /<th scope="row" class="main"><a class="row-link" href="\/x\/3" data-open>a&lt;b<\/a>/)
    assert.match(text, /<td data-head="Placed" class="end">/)
    assert.doesNotMatch(text, /type="checkbox"|done=/)
  })

  test('an empty list explains what belongs there, with a button to add it', () => {
    const text = String(
      renderTable(visitTo('/admin/bloom/orders'), {
        ...parts,
        rows: [],
        empty: { title: 'No things', text: 'Things come here.', action: html`<a href="/new">Add</a>` },
      }),
    )
    assert.match(text, /No things.*Things come here\..*href="\/new"/s)
    assert.doesNotMatch(text, /<table/)
  })

  test('rows are selected by labelled checkboxes in one form with its actions', () => {
    const text = String(
      renderTable(visitTo('/admin/bloom/orders'), {
        ...parts,
        rows: [{ id: '1' }, { id: '2' }],
        choose: { name: 'order', labelOf: ({ id }) => id, action: '/send', actions: html`<button>Send</button>` },
        empty: { title: '' },
      }),
    )
    assert.match(text, /<form id="list-form" method="post" action="\/send">/)
    assert.match(text, /name="order" value="2" aria-label="Select 2"/)
  })

  test('tabs are links, and the first tab whose parameters match is marked', () => {
    const text = String(
      renderTabs(visitTo('/admin/bloom/orders?view=all&cursor=x'), 'Views', [
        { label: 'To send', query: { view: undefined } },
        { label: 'All', query: { view: 'all' }, count: 1200 },
      ]),
    )
    assert.match(text, /<a href="\/admin\/bloom\/orders">To send<\/a>/)
    assert.match(text, /<a href="\/admin\/bloom\/orders\?view=all" aria-current="page">All <span class="count">1,200</)
    assert.equal(hrefWith(visitTo('/a?b=1'), { b: undefined }), '/a')
    assert.equal(cursorFromLink('/x?a=1&cursor=c%2Bd'), 'c+d')
    assert.equal(cursorFromLink(null), undefined)
  })
})

describe('toasts', () => {
  const shownAt = (href: string, role?: 'viewer') => String(renderToast(visitTo(href, role)) || '')

  test('a redirect contains the result in its address, and the page shows it with Undo', () => {
    const { status, headers } = redirectWithToast('/admin/bloom/orders?view=all', 'done.sentMany', {
      count: 2,
      change: 'chg_1a',
    })
    assert.equal(status, 303)
    assert.equal(headers.location, '/admin/bloom/orders?view=all&done=sentMany&n=2&change=chg_1a')
    const text = shownAt(headers.location)
    assert.match(text, /role="status">2 parcels sent\.</)
    assert.match(text, /action="\/admin\/bloom\/undo".*name="change" value="chg_1a".*<button[^>]*>Undo/s)
  })

  test('a link can make a page show only our own texts', () => {
    assert.equal(shownAt('/x?done=title&n=1'), '')
    assert.equal(shownAt('/x?done=constructor'), '')
    assert.equal(shownAt('/x?failed=toString'), '')
    assert.doesNotMatch(shownAt('/x?done=sent&change=%22%3E%3Cscript'), /script|Undo/)
    assert.match(
      shownAt(redirectWithRefusal('/x', refuse('order_not_paid')).headers.location ?? ''),
      /The order is not paid/,
    )
  })
})

describe('charts', () => {
  test('the top value of a chart is a round number, and every bar has a table row', () => {
    assert.deepEqual([0, 1, 3, 12, 251, 999].map(niceTop), [0, 1, 5, 20, 500, 1000])
    const bars = [
      { label: 'Mon', value: 0, text: '€0' },
      { label: 'Tue', value: 100, text: '€1', more: ['2'] },
    ]
    const text = String(
      chart(dashboardWordsIn('en', 'UTC'), { title: 'Sales', bars, heads: ['Day', 'Sum'], top: String }),
    )
    assert.match(text, /<title>Tue: €1<\/title>/)
    assert.match(text, /<th scope="row">Tue<\/th><td class="end">€1<\/td><td class="end">2<\/td>/)
    assert.doesNotMatch(text, /style=|NaN/)
  })
})

describe('the registry of screens', () => {
  test('no path occurs twice, and each screen has a method', () => {
    const paths = screens.map(({ path }) => path.replaceAll(/:\w+/g, ':'))
    assert.deepEqual(new Set(paths).size, paths.length)
    for (const screen of screens) assert.ok(screen.get ?? screen.post, screen.path)
    // The addresses of test mode begin with `test`.
    assert.ok(paths.every((path) => !path.startsWith('test')))
  })

  test('the keyboard shortcuts of the places are all different', () => {
    assert.equal(new Set(menuPlaces.map(({ key }) => key)).size, menuPlaces.length)
  })
})
