// The calculations that EN 16931 asks for (BR-CO-10 and 13 to 17, BR-S-08), repeated in whole minor units on the XML of random orders.
// A fixed seed: SEED=1 npm test.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { bought } from '../../../harness/bought.ts'
import { documentsOf } from '../../../harness/documentCases.ts'
import { sampleDocument } from '../../../harness/documents.ts'
import type { AdminDocument } from '../../contract/admin/documents.ts'
import { currencyExponent } from '../../platform/kit/money.ts'
import { speakerFor } from '../languages/language.ts'
import { renderCii } from './cii.ts'
import { einvoiceFor, einvoiceObstacle } from './einvoice.ts'
import { printDocument } from './print.ts'
import { renderUbl } from './ubl.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

// The texts of all elements of a name, in the order of the file.
function texts(file: string, name: string): string[] {
  return [...file.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text)
}

function parts(file: string, name: string): string[] {
  return [...file.matchAll(new RegExp(`<${name}>[\\s\\S]*?</${name}>`, 'g'))].map(([text]) => text)
}

// Moves digits as text, so nothing is rounded.
function minor(text: string | undefined, exponent: number): bigint {
  const [, whole = '', fraction = ''] =
    /^(\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? assert.fail(`${text} is not an amount`)
  assert.ok(fraction.length <= exponent, `${text} has more digits than its currency`)
  return BigInt(whole + fraction.padEnd(exponent, '0'))
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((whole, amount) => whole + amount, 0n)

interface Judged {
  lines: { net: bigint; price: bigint; quantity: bigint; base: bigint; allowance: bigint; rate: string }[]
  taxes: { net: bigint; tax: bigint; rate: string }[]
  totals: { lines: bigint; net: bigint; tax: bigint; total: bigint; prepaid: bigint; due: bigint }
}

function readUbl(file: string, exponent: number): Judged {
  const one = (part: string, name: string) => texts(part, `cbc:${name}`)[0]
  const amount = (part: string, name: string) => minor(one(part, name), exponent)
  const total = parts(file, 'cac:LegalMonetaryTotal')[0] ?? ''
  return {
    lines: [...parts(file, 'cac:InvoiceLine'), ...parts(file, 'cac:CreditNoteLine')].map((line) => ({
      net: amount(line, 'LineExtensionAmount'),
      price: amount(line, 'PriceAmount'),
      quantity: BigInt(one(line, 'InvoicedQuantity') ?? one(line, 'CreditedQuantity') ?? 0),
      base: BigInt(one(line, 'BaseQuantity') ?? 1),
      allowance: one(line, 'Amount') === undefined ? 0n : amount(line, 'Amount'),
      rate: `${one(parts(line, 'cac:ClassifiedTaxCategory')[0] ?? '', 'ID')} ${one(line, 'Percent')}`,
    })),
    taxes: parts(file, 'cac:TaxSubtotal').map((part) => ({
      net: amount(part, 'TaxableAmount'),
      tax: amount(part, 'TaxAmount'),
      rate: `${one(part, 'ID')} ${one(part, 'Percent')}`,
    })),
    totals: {
      lines: amount(total, 'LineExtensionAmount'),
      net: amount(total, 'TaxExclusiveAmount'),
      tax: minor(texts(parts(file, 'cac:TaxTotal')[0] ?? '', 'cbc:TaxAmount')[0], exponent),
      total: amount(total, 'TaxInclusiveAmount'),
      prepaid: amount(total, 'PrepaidAmount'),
      due: amount(total, 'PayableAmount'),
    },
  }
}

function readCii(file: string, exponent: number): Judged {
  const one = (part: string, name: string) => texts(part, `ram:${name}`)[0]
  const amount = (part: string, name: string) => minor(one(part, name), exponent)
  const settled = parts(file, 'ram:ApplicableHeaderTradeSettlement')[0] ?? ''
  const total = parts(file, 'ram:SpecifiedTradeSettlementHeaderMonetarySummation')[0] ?? ''
  return {
    lines: parts(file, 'ram:IncludedSupplyChainTradeLineItem').map((line) => ({
      net: amount(line, 'LineTotalAmount'),
      price: amount(line, 'ChargeAmount'),
      quantity: BigInt(one(line, 'BilledQuantity') ?? 0),
      base: BigInt(one(line, 'BasisQuantity') ?? 1),
      allowance: one(line, 'ActualAmount') === undefined ? 0n : amount(line, 'ActualAmount'),
      rate: `${one(line, 'CategoryCode')} ${one(line, 'RateApplicablePercent')}`,
    })),
    taxes: parts(settled, 'ram:ApplicableTradeTax').map((part) => ({
      net: amount(part, 'BasisAmount'),
      tax: amount(part, 'CalculatedAmount'),
      rate: `${one(part, 'CategoryCode')} ${one(part, 'RateApplicablePercent')}`,
    })),
    totals: {
      lines: amount(total, 'LineTotalAmount'),
      net: amount(total, 'TaxBasisTotalAmount'),
      tax: amount(total, 'TaxTotalAmount'),
      total: amount(total, 'GrandTotalAmount'),
      prepaid: amount(total, 'TotalPrepaidAmount'),
      due: amount(total, 'DuePayableAmount'),
    },
  }
}

function judge({ lines, taxes, totals }: Judged, document: AdminDocument, exponent: number): void {
  for (const { net, price, quantity, base, allowance } of lines)
    assert.equal(net * base, price * quantity - allowance * base, 'price times quantity')
  assert.equal(totals.lines, sum(lines.map(({ net }) => net)), 'BR-CO-10')
  assert.equal(totals.net, totals.lines, 'BR-CO-13')
  assert.equal(totals.tax, sum(taxes.map(({ tax }) => tax)), 'BR-CO-14')
  assert.equal(totals.total, totals.net + totals.tax, 'BR-CO-15')
  assert.equal(totals.due, totals.total - totals.prepaid, 'BR-CO-16')
  assert.equal(new Set(taxes.map(({ rate }) => rate)).size, taxes.length, 'one breakdown for a category and rate')
  for (const { net, tax, rate } of taxes) {
    assert.equal(net, sum(lines.filter((line) => line.rate === rate).map((line) => line.net)), 'BR-S-08')
    const basisPoints = BigInt(rate.replace(/\D/g, ''))
    const off = tax * 10_000n - net * basisPoints
    // What the published rules allow: less than one unit of the currency.
    assert.ok((off < 0n ? -off : off) < 10_000n * 10n ** BigInt(exponent), 'BR-CO-17')
  }
  const { net, tax, total } = document
  assert.deepEqual([totals.net, totals.tax, totals.total], [BigInt(net), BigInt(tax), BigInt(total)], 'the books')
}

describe('e-invoices', () => {
  test('have amounts that add up exactly as EN 16931 requires, in both syntaxes', () => {
    const made = { cents: 0, whole: 0 }
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 })
    fc.assert(
      fc.property(bought, shares, (given, parts) => {
        const [invoice] = documentsOf(given)
        let left = invoice?.total ?? 0
        const refunds = parts.map((share) => Math.floor(left * share)).map((amount) => Math.min(amount, left))
        for (const [i, amount] of refunds.entries()) {
          refunds[i] = Math.min(amount, left)
          left -= refunds[i] ?? 0
        }
        const exponent = currencyExponent(given.currency) ?? 0
        for (const document of documentsOf(
          given,
          {},
          refunds.filter((amount) => amount > 0),
        )) {
          const einvoice = einvoiceFor(speakerFor('en', undefined), document)
          const obstacle = einvoiceObstacle(document)
          assert.equal(einvoice === undefined, obstacle !== null)
          // Three decimals are more than the standard allows; whole yen can be off by more than one.
          if (!einvoice) {
            assert.equal(obstacle, exponent > 2 ? 'currency' : 'rounding')
            assert.ok(exponent !== 2)
            continue
          }
          made[exponent === 0 ? 'whole' : 'cents'] += 1
          judge(readUbl(renderUbl(einvoice), exponent), document, exponent)
          judge(readCii(renderCii(einvoice), exponent), document, exponent)
        }
      }),
      { seed, numRuns: 300 },
    )
    assert.ok(made.cents > 80 && made.whole > 20, JSON.stringify(made))
  })
})

test('a credit note contains the number of every invoice that it corrects', () => {
  const [first, second] = [
    { id: 'doc_1', number: 'INV-1', day: '2026-11-16' },
    { id: 'doc_2', number: 'INV-2', day: '2026-11-17' },
  ]
  const note = sampleDocument({ kind: 'credit_note', number: 'CN-1', corrects: first, alsoCorrects: [second] })
  const speaker = speakerFor('en', undefined)
  const invoice = einvoiceFor(speaker, note) ?? assert.fail('no e-invoice')
  const references = parts(renderUbl(invoice), 'cac:BillingReference')
  assert.deepEqual(
    references.map((part) => [...texts(part, 'cbc:ID'), ...texts(part, 'cbc:IssueDate')]),
    [
      ['INV-1', '2026-11-16'],
      ['INV-2', '2026-11-17'],
    ],
  )
  const cii = renderCii(invoice)
  assert.deepEqual(texts(parts(cii, 'ram:InvoiceReferencedDocument').join(), 'ram:IssuerAssignedID'), ['INV-1'])
  assert.match(texts(cii, 'ram:Content').join(), /INV-2 \(2026-11-17\)/)
  const named = printDocument(speaker, note).facts.map(([, value]) => value)
  assert.deepEqual(
    ['INV-1', 'INV-2'].map((number) => named.filter((value) => value.startsWith(number)).length),
    [1, 1],
  )
})
