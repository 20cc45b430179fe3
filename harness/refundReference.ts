// A second implementation of what credit notes say, written from docs/documents.md alone, with exact fractions. It shares no code with the
// server.

import { fraction, roundHalfUp, spread, times } from './pricingReference.ts'

export interface SoldLine {
  skuId: string
  tax: number
  total: number
}

export interface RefundAsked {
  amount: number
  // By line, at what was paid for these units.
  lines: readonly { skuId: string; amount: number }[]
}

export interface RefundedPart {
  position: number
  total: number
  tax: number
}

export class RefundReference {
  readonly #sold: readonly SoldLine[]
  readonly #back: { total: bigint; tax: bigint }[]

  constructor(sold: readonly SoldLine[]) {
    this.#sold = sold
    this.#back = sold.map(() => ({ total: 0n, tax: 0n }))
  }

  // Answers one part for every line that gives something back.
  refund({ amount, lines }: RefundAsked): RefundedPart[] {
    const left = this.#sold.map(({ total }, i) => BigInt(total) - this.#of(i).total)
    const parts = left.map(() => 0n)
    for (const named of lines) {
      const rooms = left.map((room, i) => (this.#sold[i]?.skuId === named.skuId ? room - (parts[i] ?? 0n) : 0n))
      const most = add(rooms)
      const wanted = BigInt(named.amount) < most ? BigInt(named.amount) : most
      for (const [i, part] of spread(wanted, rooms).entries()) parts[i] = (parts[i] ?? 0n) + part
    }
    const rest = spread(
      BigInt(amount) - add(parts),
      left.map((room, i) => room - (parts[i] ?? 0n)),
    )
    return parts.flatMap((part, position) => {
      const total = part + (rest[position] ?? 0n)
      if (total === 0n) return []
      const tax = this.#take(position, total)
      return [{ position, total: Number(total), tax: Number(tax) }]
    })
  }

  // The refund failed later: its parts did not go back.
  reverse(parts: readonly RefundedPart[]): void {
    for (const { position, total, tax } of parts) {
      const back = this.#of(position)
      this.#back[position] = { total: back.total - BigInt(total), tax: back.tax - BigInt(tax) }
    }
  }

  // The tax of all that went back of the line is rounded once.
  #take(position: number, total: bigint): bigint {
    const { tax: lineTax = 0, total: lineTotal = 0 } = this.#sold[position] ?? {}
    const back = this.#of(position)
    const upTo = back.total + total
    const tax = roundHalfUp(times(fraction(BigInt(lineTax), 1n), fraction(upTo, BigInt(lineTotal)))) - back.tax
    const isLast = upTo === BigInt(lineTotal)
    const bounded = isLast ? tax : tax < 0n ? 0n : tax > total ? total : tax
    this.#back[position] = { total: upTo, tax: back.tax + bounded }
    return bounded
  }

  #of(position: number): { total: bigint; tax: bigint } {
    return this.#back[position] ?? { total: 0n, tax: 0n }
  }
}

function add(amounts: readonly bigint[]): bigint {
  return amounts.reduce((whole, amount) => whole + amount, 0n)
}
