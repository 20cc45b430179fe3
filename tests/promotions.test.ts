// Promotions as the operator keeps them: in a shop file, by the command line, and counted when they are used.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { type Environment, tempFolder } from '../harness/process.ts'
import { bloom, rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { anyText } from '../harness/texts.ts'
import type { PromotionEntry } from '../src/contract/entries.ts'
import { issueAt } from '../src/contract/issues.ts'
import type { Mode } from '../src/contract/words.ts'
import { promotionStatus } from '../src/domain/promotions/entry.ts'
import {
  countPromotionUse,
  disablePromotion,
  enablePromotion,
  findPromotion,
  findPromotionByCode,
  listPromotions,
  normalizePromotionCode,
  type Promotion,
  releasePromotionUse,
  updatePromotion,
} from '../src/domain/promotions/store.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { changeLines } from '../src/platform/audit/change.ts'
import type { Reader, Storage } from '../src/platform/storage/storage.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')

const tenPercent: PromotionEntry = { code: 'WELCOME10', name: 'Welcome', type: 'percentage', percentage: 1000 }
const fiveOff: PromotionEntry = { code: 'FiveOff', name: 'Five off', type: 'fixed_amount', amount: 500 }

function withPromotions(...promotions: PromotionEntry[]): ShopFile {
  return { ...bloom, promotions }
}

describe('a promotion code', () => {
  for (const [typed, kept] of [
    ['welcome10', 'WELCOME10'],
    ['  Welcome10\t', 'WELCOME10'],
    ['\u00a0welcome10\u3000', 'WELCOME10'],
    ['ｗｅｌｃｏｍｅ１０', 'WELCOME10'],
    ['straße', 'STRASSE'],
    ['caf\u0065\u0301', 'CAF\u00c9'],
    ['ﬁve', 'FIVE'],
    ['', ''],
  ] as const) {
    test(`${JSON.stringify(typed)} is normalized to ${JSON.stringify(kept)}`, () =>
      assert.equal(normalizePromotionCode(typed), kept))
  }

  test('that is normalized stays the same if it is normalized again', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 20 }), (text) => {
        assert.equal(normalizePromotionCode(normalizePromotionCode(text)), normalizePromotionCode(text))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('reading a shop file with invalid promotions', () => {
  const cases: readonly [what: string, entry: object, path: string, message: RegExp][] = [
    ['the type percentage without a percentage', { type: 'percentage' }, '/percentage', /is required/],
    ['a percentage with an amount', { type: 'percentage', percentage: 1, amount: 1 }, '/amount', /is not allowed/],
    ['the type fixed_amount without an amount', { type: 'fixed_amount' }, '/amount', /is required/],
    ['free shipping with a percentage', { type: 'free_shipping', percentage: 1 }, '/percentage', /is not allowed/],
    ['a percentage of 0', { type: 'percentage', percentage: 0 }, '/percentage', /from 1 to 10000/],
    ['a percentage above 100 %', { type: 'percentage', percentage: 10_001 }, '/percentage', /from 1 to 10000/],
    ['half a basis point', { type: 'percentage', percentage: 0.5 }, '/percentage', /integer/],
    ['an amount of 0', { type: 'fixed_amount', amount: 0 }, '/amount', /integer/],
    ['an unknown type', { type: 'gift' }, '/type', /one of/],
    ['a blank code', { code: '   ' }, '/code', /1 to 64/],
    ['a code of two words', { code: 'TEN OFF' }, '/code', /without spaces/],
    ['a code with an invisible character', { code: 'TEN\u200bOFF' }, '/code', /letters/],
    ['a code that is too long once normalized', { code: '\ufdfa'.repeat(8) }, '/code', /1 to 64/],
    ['an unknown currency', { currency: 'XXX' }, '/currency', /ISO 4217/],
    ['a start on a date that does not exist', { startsAt: '2026-02-30T00:00:00Z' }, '/startsAt', /instant/],
    ['an end in local time', { endsAt: '2026-12-01T00:00:00' }, '/endsAt', /instant/],
    ['an empty end', { endsAt: '' }, '/endsAt', /instant/],
    [
      'an end before its start',
      { startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-02-01T00:00:00.000Z' },
      '/endsAt',
      /after/,
    ],
    ['a negative usage limit', { usageLimit: -1 }, '/usageLimit', /integer/],
    ['a customer limit of 0', { customerLimit: 0 }, '/customerLimit', /integer/],
    ['an unknown category', { categories: ['roses', 'shoes'] }, '/categories/1', /a category of this file/],
    ['an unknown SKU', { skus: ['ROSE-12', 'SHOE'] }, '/skus/1', /the code of a SKU of this file/],
    ['a SKU twice', { skus: ['ROSE-12', 'ROSE-12'] }, '/skus/1', /repeat/],
    ['an unknown member', { maximum: 3 }, '/maximum', /known/],
  ]
  for (const [what, entry, path, message] of cases) {
    test(`reports ${what}`, () => {
      const bad = { code: 'CODE', name: 'Name', type: 'free_shipping', ...entry }
      const read = readShopFile(JSON.stringify({ ...bloom, promotions: [tenPercent, bad] }), now)
      assert.ok('problems' in read)
      assert.equal(read.problems.length, 1, JSON.stringify(read.problems))
      assert.equal(read.problems[0]?.path, `/promotions/1${path}`)
      assert.match(read.problems[0]?.message ?? '', message)
    })
  }

  test('reports a duplicate code, also in another spelling', () => {
    const file = withPromotions(tenPercent, { ...tenPercent, code: ' ｗelcome10' })
    assert.deepEqual(readShopFile(stringify(file), now), {
      problems: [issueAt('/promotions/1/code', 'duplicate')],
    })
  })
})

test('a promotion has the first status that applies: disabled, expired, scheduled, exhausted, active', () => {
  const active = { disabledAt: null, startsAt: now, endsAt: now + 1, usageLimit: 1, used: 0 } as Promotion
  assert.equal(promotionStatus(active, now), 'active')
  assert.equal(promotionStatus({ ...active, used: 1 }, now), 'exhausted')
  assert.equal(promotionStatus({ ...active, used: 1 }, now - 1), 'scheduled')
  assert.equal(promotionStatus({ ...active, used: 1 }, now + 1), 'expired')
  assert.equal(promotionStatus({ ...active, disabledAt: now }, now + 1), 'disabled')
})

eachEngine('promotions', (given) => {
  let storage: Storage
  let merchant: string

  before(async () => {
    storage = await given.open()
    merchant = (await applyShop(storage, bloom, { now, stock: false, dryRun: false })).merchantId
  })

  async function apply(file: ShopFile, dryRun = false) {
    const read = readShopFile(stringify(file), now)
    assert.ok('file' in read, JSON.stringify(read))
    return applyRead(read.file, dryRun)
  }

  async function applyRead(file: ShopFile, dryRun = false) {
    const report = await applyShop(storage, file, { now, stock: false, dryRun })
    return {
      lines: report.changes.flatMap(changeLines),
      refused: report.refusedPromotions.map(({ code, reason }) => `${code}: ${reason}`),
    }
  }

  function find(code: string): Promise<Promotion | undefined> {
    return storage.read((db) => findPromotionByCode(db, { merchantId: merchant, mode: 'live' }, code))
  }

  async function made(entry: PromotionEntry): Promise<Promotion> {
    assert.deepEqual((await apply(withPromotions(entry))).refused, [])
    const promotion = await find(normalizePromotionCode(entry.code))
    assert.ok(promotion)
    return promotion
  }

  const use = (id: string, mode: Mode = 'live') =>
    storage.write(async (tx) => (await countPromotionUse(tx, { merchantId: merchant, mode }, id)) !== undefined)
  const giveBack = (id: string, mode: Mode = 'live') =>
    storage.write((tx) => releasePromotionUse(tx, { merchantId: merchant, mode }, id))

  test('a file creates promotions with normalized codes, and changes nothing when applied again', async () => {
    const full: PromotionEntry = {
      code: 'spring',
      name: 'Spring',
      type: 'percentage',
      percentage: 2500,
      minimumSubtotal: 5000,
      startsAt: '2026-03-01T00:00:00Z',
      endsAt: '2026-06-01T00:00:00Z',
      usageLimit: 100,
      customerLimit: 1,
      categories: ['vases', 'roses'],
      skus: ['ROSE-24', 'PEONY'],
      disabled: true,
    }
    const file = withPromotions(tenPercent, fiveOff, { code: 'SHIP', name: 'Ship', type: 'free_shipping' }, full)
    const lines = ['+ promotion WELCOME10', '+ promotion FIVEOFF', '+ promotion SHIP', '+ promotion SPRING']
    assert.deepEqual(await apply(file, true), { lines, refused: [] })
    assert.equal(await find('SPRING'), undefined, 'a dry run makes nothing')
    assert.deepEqual(await apply(file), { lines, refused: [] })
    const kept = await Promise.all(['WELCOME10', 'FIVEOFF', 'SHIP', 'SPRING'].map(find))
    assert.deepEqual(
      kept.map((promotion) => [promotion?.type, promotion?.value, promotion?.currency]),
      [
        ['percentage', 1000, null],
        ['fixed_amount', 500, 'EUR'],
        ['free_shipping', 0, null],
        ['percentage', 2500, 'EUR'],
      ],
    )
    const spring = kept[3]
    assert.deepEqual(spring, {
      id: spring?.id,
      code: 'SPRING',
      name: 'Spring',
      type: 'percentage',
      value: 2500,
      currency: 'EUR',
      minimumSubtotal: 5000,
      startsAt: Date.UTC(2026, 2, 1),
      endsAt: Date.UTC(2026, 5, 1),
      usageLimit: 100,
      customerLimit: 1,
      used: 0,
      categories: ['roses', 'vases'],
      skuCodes: ['PEONY', 'ROSE-24'],
      version: 1,
      disabledAt: now,
    })
    assert.deepEqual(
      await storage.read((db) => findPromotion(db, { merchantId: merchant, mode: 'live' }, spring?.id ?? '')),
      spring,
    )
    const same = {
      ...full,
      code: ' SPRING',
      categories: ['roses', 'vases'],
      currency: 'EUR',
      startsAt: '2026-03-01T00:00:00.000Z',
    }
    assert.deepEqual(await apply(withPromotions(same, tenPercent)), { lines: [], refused: [] })
    assert.deepEqual(await find('SPRING'), spring)
  })

  test('a file changes and reports the promotions that it contains, and no others', async () => {
    const promotion = await made({ ...fiveOff, code: 'CHANGES', endsAt: '2026-07-01T00:00:00Z', usageLimit: 5 })
    const other = await made({ ...tenPercent, code: 'STAYS' })
    assert.equal(await use(promotion.id), true)
    const { lines } = await apply(
      withPromotions({ ...fiveOff, code: 'changes', amount: 700, endsAt: '2026-08-01T00:00:00Z', skus: ['PEONY'] }),
    )
    assert.deepEqual(lines, [
      '~ promotion CHANGES',
      '    amount: 500 → 700',
      '    endsAt: "2026-07-01T00:00:00.000Z" → "2026-08-01T00:00:00.000Z"',
      '    usageLimit: 5 → null',
      '    skus: [] → ["PEONY"]',
    ])
    assert.deepEqual(await find('CHANGES'), {
      ...promotion,
      value: 700,
      endsAt: Date.UTC(2026, 7, 1),
      usageLimit: null,
      used: 1,
      skuCodes: ['PEONY'],
      version: 3,
    })
    assert.deepEqual(await find('STAYS'), other)
    assert.deepEqual(await apply(bloom), { lines: [], refused: [] })
    assert.deepEqual(await find('STAYS'), other)
  })

  test('a file enables a disabled promotion only if it contains disabled: false', async () => {
    const entry = { ...tenPercent, code: 'STOPS' }
    const { id } = await made(entry)
    assert.equal(await storage.write((tx) => disablePromotion(tx, merchant, id, now)), true)
    assert.equal(await storage.write((tx) => disablePromotion(tx, merchant, id, now + 1)), false)
    assert.deepEqual((await apply(withPromotions(entry))).lines, [])
    assert.equal((await find('STOPS'))?.disabledAt, now)
    assert.deepEqual((await apply(withPromotions({ ...entry, disabled: false }))).lines, [
      '~ promotion STOPS',
      '    disabled: true → false',
    ])
    assert.equal((await find('STOPS'))?.disabledAt, null)
    assert.equal(await storage.write((tx) => enablePromotion(tx, merchant, id, now)), false)
    assert.deepEqual((await apply(withPromotions({ ...entry, disabled: true, name: 'Stop' }))).lines, [
      '~ promotion STOPS',
      '    name: "Welcome" → "Stop"',
      '    disabled: false → true',
    ])
    assert.equal((await find('STOPS'))?.disabledAt, now)
  })

  test('a limit below the number of uses is refused, and the rest of the file is applied', async () => {
    const promotion = await made({ ...tenPercent, code: 'POPULAR', usageLimit: 3 })
    for (let i = 0; i < 3; i++) assert.equal(await use(promotion.id), true)
    const file = withPromotions({ ...tenPercent, code: 'POPULAR', usageLimit: 2 }, { ...tenPercent, code: 'BESIDE' })
    const refused = ['POPULAR: The promotion was already used more than 2 times: to stop its use, disable it.']
    assert.deepEqual(await apply(file, true), { lines: ['+ promotion BESIDE'], refused })
    assert.deepEqual(await apply(file), { lines: ['+ promotion BESIDE'], refused })
    assert.deepEqual(await find('POPULAR'), { ...promotion, used: 3, version: 4 })
    const late = await storage.write((tx) => updatePromotion(tx, merchant, { ...promotion, usageLimit: 2 }, now))
    assert.equal(late, false, 'the statement knows it too')
  })

  test('a file without products may name SKUs and categories of the shop', async () => {
    const file: ShopFile = {
      merchant: bloom.merchant,
      promotions: [
        { ...tenPercent, code: 'KNOWN', categories: ['roses'], skus: ['VASE-1'] },
        { ...tenPercent, code: 'NOSKU', skus: ['VASE-1', 'VASE-2'] },
        { ...tenPercent, code: 'NOCATEGORY', categories: ['shoes'] },
      ],
    }
    assert.deepEqual(await apply(file), {
      lines: ['+ promotion KNOWN'],
      refused: ['NOSKU: There is no SKU VASE-2.', 'NOCATEGORY: There is no category shoes.'],
    })
  })

  test('another merchant can have a promotion with the same code', async () => {
    const mine = await made({ ...fiveOff, code: 'SHARED' })
    const { merchantId } = await applyShop(
      storage,
      { ...rival, promotions: [{ ...fiveOff, code: 'SHARED' }] },
      { now, stock: false, dryRun: false },
    )
    const theirs = await storage.read((db) => findPromotionByCode(db, { merchantId, mode: 'live' }, 'SHARED'))
    assert.equal(theirs?.currency, 'JPY')
    assert.equal(await storage.read((db) => findPromotion(db, { merchantId, mode: 'live' }, mine.id)), undefined)
    assert.equal(await storage.write((tx) => countPromotionUse(tx, { merchantId, mode: 'live' }, mine.id)), undefined)
    await storage.write((tx) => releasePromotionUse(tx, { merchantId, mode: 'live' }, mine.id))
    assert.equal(await storage.write((tx) => disablePromotion(tx, merchantId, mine.id, now)), false)
    assert.deepEqual(await find('SHARED'), mine)
  })

  test('of a hundred concurrent uses of a promotion with a limit of ten, ten succeed, also while a file is applied', async () => {
    const { id } = await made({ ...tenPercent, code: 'TENONLY', usageLimit: 10 })
    const [outcomes] = await Promise.all([
      Promise.all(Array.from({ length: 100 }, () => use(id))),
      apply(withPromotions({ ...tenPercent, code: 'TENONLY', usageLimit: 10, name: 'Ten only' })),
    ])
    assert.equal(outcomes.filter(Boolean).length, 10)
    const promotion = await find('TENONLY')
    assert.deepEqual([promotion?.used, promotion?.name], [10, 'Ten only'])
  })

  test('a released use can be used again, and is released only once', async () => {
    const { id } = await made({ ...tenPercent, code: 'BACK', usageLimit: 1 })
    assert.deepEqual([await use(id), await use(id)], [true, false])
    await giveBack(id)
    await giveBack(id)
    assert.equal((await find('BACK'))?.used, 0)
    assert.deepEqual([await use(id), await use(id)], [true, false])
  })

  test('without a limit every use succeeds; if the promotion is disabled or its limit is 0 none does', async () => {
    const { id } = await made({ ...tenPercent, code: 'ENDLESS' })
    assert.ok((await Promise.all(Array.from({ length: 20 }, () => use(id)))).every(Boolean))
    assert.equal((await find('ENDLESS'))?.used, 20)
    await storage.write((tx) => disablePromotion(tx, merchant, id, now))
    assert.equal(await use(id), false)
    await giveBack(id)
    assert.equal((await find('ENDLESS'))?.used, 19)
    assert.equal(await use((await made({ ...tenPercent, code: 'NEVER', usageLimit: 0 })).id), false)
    assert.equal(await use('prm_nothing'), false)
  })

  test('one file creates thousands of codes', async () => {
    const count = 3_000
    const promotions = Array.from(
      { length: count },
      (_, i): PromotionEntry => ({
        code: `MASS${String(i).padStart(5, '0')}`,
        name: `Mass ${i}`,
        type: 'percentage',
        percentage: 1 + (i % 10_000),
        usageLimit: 1,
      }),
    )
    const file: ShopFile = { merchant: bloom.merchant, promotions }
    assert.equal((await apply(file)).lines.length, count)
    assert.deepEqual(await applyRead(file), { lines: [], refused: [] })
    promotions[2_777] = { ...tenPercent, code: 'MASS02777' }
    assert.equal((await applyRead(file)).lines[0], '~ promotion MASS02777')
    assert.equal((await find('MASS02999'))?.value, 3_000)
    const page = await storage.read((db) => listPromotions(db, merchant, 'MASS00099', 3))
    assert.deepEqual(
      page.map(({ code }) => code),
      ['MASS00100', 'MASS00101', 'MASS00102'],
    )
  })

  if (given.engine === 'sqlite') {
    test('promotions are found by code and by id, and listed, with an index', async () => {
      const plans: string[] = []
      await storage.read(async (db) => {
        const explained: Reader = {
          engine: db.engine,
          async sql(text, ...values) {
            const asked = ['explain query plan '.concat(text[0] ?? ''), ...text.slice(1)]
            const template = Object.assign(asked, { raw: asked })
            plans.push(...(await db.sql<{ detail: string }>(template, ...values)).map(({ detail }) => detail))
            return []
          },
        }
        await findPromotionByCode(explained, { merchantId: merchant, mode: 'live' }, 'WELCOME10')
        await findPromotion(explained, { merchantId: merchant, mode: 'live' }, 'prm_nothing')
        await listPromotions(explained, merchant, '', 10)
      })
      assert.equal(plans.length, 3, plans.join('\n'))
      assert.match(plans[0] ?? '', /^SEARCH promotions USING INDEX \S+ \(merchant_id=\? AND code=\?\)$/)
      assert.match(plans[1] ?? '', /^SEARCH promotions USING INDEX \S+ \(merchant_id=\? AND id=\?\)$/)
      assert.match(plans[2] ?? '', /^SEARCH promotions USING INDEX \S+ \(merchant_id=\? AND code>\?\)$/)
    })
  }

  describe('the promotions commands', () => {
    let settings: Environment

    async function environment(): Promise<Environment> {
      return {
        CARTWRIGHT_DATABASE_URL: await given.migratedUrl(),
        CARTWRIGHT_SECRET: 'the-root-secret-of-one-promotions-test',
      }
    }

    before(async () => {
      settings = await environment()
      assert.equal((await cartwright(['demo'], settings)).code, 0)
    })

    const run = (...args: string[]) => cartwright(['promotions', ...args], settings)

    test('add, show, list, disable and enable a promotion beside a running server', async () => {
      const server = await serveHere(settings)
      // biome-ignore format: pairs of an option and its value
      const added = await run('add', '--code', 'autumn', '--name', 'Autumn', '--type', 'fixed_amount', '--amount', '1250',
        '--minimum-subtotal', '4000', '--starts-at', '2020-09-01T00:00:00Z', '--ends-at', '2098-01-01T00:00:00Z',
        '--usage-limit', '50', '--customer-limit', '2', '--categories', 'kitchen, gifts', '--skus', 'MUG-STO-250-OAT', '--json')
      assert.deepEqual([added.code, added.err], [0, ''])
      const made = JSON.parse(added.out)
      const { promotion } = made
      assert.deepEqual([made.status, made.used, made.version], ['active', 0, 1])
      assert.deepEqual(promotion, {
        code: 'AUTUMN',
        name: 'Autumn',
        type: 'fixed_amount',
        amount: 1250,
        currency: 'EUR',
        minimumSubtotal: 4000,
        startsAt: '2020-09-01T00:00:00.000Z',
        endsAt: '2098-01-01T00:00:00.000Z',
        usageLimit: 50,
        customerLimit: 2,
        categories: ['gifts', 'kitchen'],
        skus: ['MUG-STO-250-OAT'],
        disabled: false,
      })
      assert.deepEqual(JSON.parse((await run('show', ' ａutumn ', '--json')).out), made)
      assert.match((await run('show', 'autumn')).out, /^ {2}status +active\n[\s\S]*^ {2}amount +€12\.50\n/m)
      const disabled = JSON.parse((await run('disable', 'Autumn', '--json')).out)
      const stopped = { ...made, status: 'disabled', version: 2, promotion: { ...promotion, disabled: true } }
      assert.deepEqual(disabled, stopped)
      assert.deepEqual(JSON.parse((await run('disable', 'AUTUMN', '--json')).out), disabled)
      assert.deepEqual(JSON.parse((await run('enable', 'autumn', '--json')).out), { ...made, version: 3 })
      const { promotions } = JSON.parse((await run('list', '--json')).out)
      const statuses = Object.fromEntries(
        promotions.map(({ promotion: { code }, status }: { promotion: { code: string }; status: string }) => [
          code,
          status,
        ]),
      )
      const demo = JSON.parse((await cartwright(['demo', '--json'], settings)).out)
      assert.equal(demo.promotionCodes[0], 'WELCOME10')
      assert.deepEqual(new Set(Object.keys(statuses)), new Set([...demo.promotionCodes, 'AUTUMN']))
      assert.deepEqual(
        ['WELCOME10', 'SUMMER24', 'FUTURE99', 'STOPPED', 'SOLDOUT'].map((code) => statuses[code]),
        ['active', 'expired', 'scheduled', 'disabled', 'exhausted'],
      )
      assert.match((await run('list')).out, /^SOLDOUT +exhausted +€20\.00 +used 0 of 0 +A code that is used up$/m)
      assert.equal((await cartwright(['doctor'], settings)).code, 0)
      await server.stop()
    })

    test('report misuse in one line', async () => {
      const add = ['add', '--code', 'TRY', '--name', 'Try', '--type']
      for (const [args, code, line] of [
        [[], 2, 'promotions needs a verb: add, list, show, disable, enable'],
        [['show'], 2, 'promotions show needs the argument CODE'],
        [['list', 'WELCOME10'], 2, 'promotions list does not take the argument WELCOME10'],
        [['add', '--name', 'Try', '--type', 'free_shipping'], 2, '--code is required'],
        [[...add, 'free'], 2, '--type must be one of "percentage", "fixed_amount", "free_shipping"'],
        [[...add, 'percentage'], 2, '--percentage is required for the type percentage'],
        [[...add, 'percentage', '--percentage', '10%'], 2, '--percentage must be a whole number'],
        [[...add, 'percentage', '--percentage', '20000'], 2, '--percentage must be an integer from 1 to 10000'],
        [[...add, 'free_shipping', '--amount', '5'], 2, '--amount is not allowed for the type free_shipping'],
        [
          [...add, 'free_shipping', '--ends-at', '2026-12-24'],
          2,
          '--ends-at must be an instant in UTC, such as 2026-12-01T00:00:00Z',
        ],
        [
          [...add, 'free_shipping', '--name', 'A\u0007'],
          2,
          '--name must not contain control characters or half of a surrogate pair',
        ],
        [[...add, 'free_shipping', '--skus', 'NOTHING'], 1, 'cartwright: There is no SKU NOTHING.\n'],
        [[...add, 'free_shipping', '--categories', 'nothing'], 1, 'cartwright: There is no category nothing.\n'],
        [
          ['add', '--code', 'welcome10', '--name', 'Again', '--type', 'free_shipping'],
          1,
          'cartwright: There is already a promotion with this code. To change it, apply a shop file that contains it.\n',
        ],
        [['show', 'nothing'], 1, 'cartwright: There is no promotion NOTHING.\n'],
        [['enable', 'nothing'], 1, 'cartwright: There is no promotion NOTHING.\n'],
        [['list', '--merchant', 'nobody'], 1, 'cartwright: There is no merchant nobody.\n'],
      ] as const) {
        const { code: got, out, err } = await run(...args)
        const said = code === 2 ? err.replace(/Usage: cartwright promotions .*\n$/, '') : err
        assert.deepEqual([got, out, said], [code, '', code === 2 ? `${line}\n` : line])
      }
    })

    test('require the slug of the merchant if there are several merchants', async () => {
      const settings = await environment()
      const file = join(await tempFolder(), 'shop.yaml')
      await writeFile(file, stringify({ ...rival, promotions: [tenPercent] }))
      await cartwright(['apply', file], settings)
      await writeFile(file, stringify(withPromotions(tenPercent, { ...fiveOff, usageLimit: 3 })))
      const applied = await cartwright(['apply', file], settings)
      assert.match(applied.out, /\+ promotion WELCOME10\n\+ promotion FIVEOFF\n/)
      assert.match((await cartwright(['apply', file], settings)).out, /^0 changed/)
      const unnamed = await cartwright(['promotions', 'list'], settings)
      assert.equal(unnamed.code, 2)
      assert.match(unnamed.err, /^there are several merchants; choose one with --merchant: rival, bloom\n/)
      const listed = await cartwright(['promotions', 'list', '--merchant', 'bloom', '--json'], settings)
      const { promotions } = JSON.parse(listed.out)
      assert.deepEqual(
        promotions.map((row: { promotion: { code: string } }) => row.promotion.code),
        ['FIVEOFF', 'WELCOME10'],
      )
      await writeFile(file, stringify({ merchant: bloom.merchant, promotions: [{ ...tenPercent, skus: ['SHOE'] }] }))
      const refused = await cartwright(['apply', file], settings)
      assert.equal(refused.code, 1)
      assert.equal(
        refused.out,
        '! the promotion WELCOME10 was refused: There is no SKU SHOE.\n0 changed, 0 products unchanged, 1 refused\n',
      )
    })

    test('print help', async () => {
      const help = await run('--help')
      assert.equal(help.code, 0)
      for (const verb of ['list', 'show', 'add', 'disable', 'enable'])
        assert.match(help.out, new RegExp(`^  cartwright promotions ${verb} `, 'm'))
      assert.match(help.out, /promotions add +Add a promotion code/)
      assert.match((await cartwright(['--help'], settings)).out, /^ {2}promotions /m)
    })
  })
})
