import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CheckoutView } from '../../domain/checkout/port.ts'
import {
  readDetails,
  readPageVersion,
  readPayInput,
  readPromotionCode,
  readQuantity,
  type TypedCheckout,
} from './input.ts'

const form =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? ''

const typed: TypedCheckout = {
  email: 'ada@example.com',
  phone: '',
  vatId: '',
  name: 'Ada Byron',
  country: 'DE',
  company: '',
  line1: 'Weg 1',
  line2: '',
  city: 'Leipzig',
  region: '',
  postalCode: '04229',
  shippingOptionId: '',
}

function pathsOf(parsed: object): string[] {
  return 'issues' in parsed ? (parsed.issues as { path: string }[]).map(({ path }) => path) : []
}

describe('reading the forms of the checkout', () => {
  test('a quantity is a whole number up to the limit of a line', () => {
    assert.deepEqual(readQuantity(form({ skuId: 'a', quantity: '3' })), { input: { skuId: 'a', quantity: 3 } })
    for (const quantity of ['', '-1', '1.5', '1e3', '1000', ' ', '９']) {
      assert.deepEqual(pathsOf(readQuantity(form({ skuId: 'a', quantity }))), ['/quantity'], quantity)
    }
  })

  test('an invalid page version counts as an outdated one', () => {
    assert.deepEqual(
      [readPageVersion(form({ version: '7' })), readPageVersion(form({ version: 'x' })), readPageVersion(form({}))],
      [7, 0, 0],
    )
  })

  test('a promotion code is entered, removed or missing', () => {
    assert.deepEqual(readPromotionCode(form({ code: 'X' })), { input: 'X' })
    assert.deepEqual(readPromotionCode(form({ code: 'X', remove: '1' })), { input: null })
    assert.deepEqual(pathsOf(readPromotionCode(form({ code: '' }))), ['/code'])
  })

  test('missing details are reported as the country requires them, in the order of the page', () => {
    const empty = { ...typed, email: '', name: '', line1: '', city: '', postalCode: '' }
    assert.deepEqual(pathsOf(readDetails({ ...empty, country: 'US' }, true)), [
      '/email',
      '/address/name',
      '/address/line1',
      '/address/city',
      '/address/region',
      '/address/postalCode',
    ])
    assert.deepEqual(pathsOf(readDetails({ ...typed, country: 'XX' }, true)), ['/address/country'])
    assert.deepEqual(pathsOf(readDetails({ ...typed, email: 'ada' }, false)), ['/email'])
  })

  test('parts of an address that its country does not have are removed', () => {
    const parsed = readDetails({ ...typed, region: 'CA', phone: '123456', shippingOptionId: 'express' }, true)
    assert.deepEqual(parsed, {
      input: {
        contact: { email: 'ada@example.com', name: 'Ada Byron', phone: '123456' },
        address: {
          name: 'Ada Byron',
          country: 'DE',
          line1: 'Weg 1',
          city: 'Leipzig',
          postalCode: '04229',
          phone: '123456',
        },
        shippingOptionId: 'express',
        vatId: '',
      },
    })
    const digital = readDetails(typed, false)
    assert('input' in digital && digital.input.address === null)
  })

  test('a payment must have an offered method and its fields, with digits of any script', () => {
    const view = {
      methods: [
        {
          provider: 'test',
          method: 'card',
          labelKey: 'method.card',
          fields: [
            { name: 'number', labelKey: '', autocomplete: 'cc-number', inputMode: 'numeric', lengthMax: 19 },
            { name: 'holder', labelKey: '', autocomplete: 'cc-name', inputMode: 'text', lengthMax: 40 },
          ],
        },
      ],
      session: { items: [], totals: { total: 990 } },
      // The rest of a view is not looked at.
    } as unknown as CheckoutView
    const sent = { method: 'test:card', version: '2', expectedTotal: '990', attempt: 'abc', 'card.holder': 'A B' }
    assert.deepEqual(readPayInput(form({ ...sent, 'card.number': '٤٢٤٢ 4242-4242 4242', 'card.extra': 'x' }), view), {
      input: {
        version: 2,
        expectedTotal: 990,
        provider: 'test',
        method: 'card',
        details: { number: '4242424242424242', holder: 'A B' },
        attempt: 'abc',
      },
    })
    assert.deepEqual(pathsOf(readPayInput(form(sent), view)), ['/number'])
    assert.deepEqual(pathsOf(readPayInput(form({ ...sent, method: 'test:gold' }), view)), ['/method'])
    const free = { ...view, session: { ...view.session, totals: { ...view.session.totals, total: 0 } } }
    assert.deepEqual(pathsOf(readPayInput(form({ ...sent, expectedTotal: '0', method: '' }), free)), [])
  })

  describe('a card can be typed in every common notation', () => {
    const card = {
      provider: 'test',
      method: 'card',
      fields: [
        { name: 'number', autocomplete: 'cc-number', lengthMax: 23 },
        { name: 'expiry', autocomplete: 'cc-exp', lengthMax: 9 },
      ],
    }
    // The rest of a view is not looked at.
    const view = { methods: [card], session: { items: [], totals: { total: 990 } } } as unknown as CheckoutView
    const read = (number: string, expiry: string) => {
      const sent = { method: 'test:card', version: '2', expectedTotal: '990', attempt: 'abc' }
      const parsed = readPayInput(form({ ...sent, 'card.number': number, 'card.expiry': expiry }), view)
      return 'input' in parsed ? parsed.input.details : parsed.issues
    }

    test('its number is read', () => {
      for (const typed of [
        '4242424242424242',
        ' 4242 4242 4242 4242 ',
        '4242-4242-4242-4242',
        '4242–4242–4242–4242',
        '4242.4242.4242.4242',
        '4242/4242/4242/4242',
        '4242\u00a04242\u20074242\u20094242',
        '\u200b4242424242424242\ufeff',
        '４２４２４２４２４２４２４２４２',
        '٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢',
        '۴۲۴۲۴۲۴۲۴۲۴۲۴۲۴۲',
      ])
        assert.deepEqual(read(typed, '1/27'), { number: '4242424242424242', expiry: '01/27' }, JSON.stringify(typed))
      assert.deepEqual(read('4242x4242', '1/27'), { number: '4242x4242', expiry: '01/27' })
    })

    test('its expiry date is read', () => {
      for (const typed of [
        '01/27',
        '1/27',
        '01 / 27',
        '01 / / 27',
        '01/2027',
        '1/2027',
        '01 2027',
        '01 27',
        '1 27',
        '0127',
        '127',
        '012027',
        '01-27',
        '01–27',
        '01—2027',
        '01−27',
        '01.27',
        '01,27',
        '01\\27',
        '2027-01',
        '2027-1',
        '2027/01',
        '202701',
        '０１／２７',
        '٠١/٢٧',
        '\u200e01/27',
      ])
        assert.deepEqual(read('4242', typed), { number: '4242', expiry: '01/27' }, JSON.stringify(typed))
      assert.deepEqual(read('4242', '12/2029'), { number: '4242', expiry: '12/29' })
      assert.deepEqual(read('4242', '1229'), { number: '4242', expiry: '12/29' })
      assert.deepEqual(read('4242', '122029'), { number: '4242', expiry: '12/29' })
      for (const wrong of ['13/27', '00/27', '1/7', '7', '27', '1/1927', 'ab/cd', '1/2/27', '01/27/01'])
        assert.notDeepEqual(read('4242', wrong), { number: '4242', expiry: '01/27' }, wrong)
    })
  })

  test('a phone number may be typed in digits of another script', () => {
    const parsed = readDetails({ ...typed, phone: '+٤٩ ٣٠ １２３４５' }, false)
    assert('input' in parsed)
    assert.equal(parsed.input.contact.phone, '+49 30 12345')
  })
})
