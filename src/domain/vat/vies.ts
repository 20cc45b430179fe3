// VIES, the register of VAT numbers of the European Commission, through its REST API (`check-vat-number`). One request with a deadline and
// a limit on the size of the response; it follows no redirect. The name in a response is compared; neither it nor the address is stored.

import type { VatNameMatch } from '../../contract/words.ts'
import { type VatAnswer, type VatQuestion, type VatRegister, VatUnanswered } from './port.ts'

export const viesUrl = 'https://ec.europa.eu/taxation_customs/vies/rest-api'

const bodyBytesMax = 64 * 1024

export function createVies(url: string): VatRegister {
  return async ({ id, requester, name }, signal) => {
    const response = await fetch(`${url}/check-vat-number`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        countryCode: id.prefix,
        vatNumber: id.number,
        ...(requester && { requesterMemberStateCode: requester.prefix, requesterNumber: requester.number }),
        ...(name !== null && { traderName: name }),
      }),
      redirect: 'error',
      signal,
    })
    const body = parsed(await readBounded(response))
    return viesAnswerFrom({ id, requester, name }, response.status, body)
  }
}

async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the rest of the response.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new VatUnanswered('VIES_TOO_LONG')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

// An error page of a proxy in between is not JSON.
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

// An error may have status 200. Only a clear yes or no counts as an answer.
export function viesAnswerFrom(
  { name }: VatQuestion,
  status: number,
  body: Readonly<Record<string, unknown>>,
): VatAnswer {
  const error = errorOf(body)
  if (error === 'INVALID_INPUT') return { isValid: false, consultationNumber: null, nameMatch: 'unknown' }
  if (error !== undefined) throw new VatUnanswered(`VIES_${error}`)
  if (status !== 200 || typeof body.valid !== 'boolean') throw new VatUnanswered(`VIES_STATUS_${status}`)
  return {
    isValid: body.valid,
    consultationNumber: textOf(body.requestIdentifier)?.slice(0, 60) ?? null,
    nameMatch: body.valid ? nameMatchOf(name, body) : 'unknown',
  }
}

function errorOf({ actionSucceed, errorWrappers }: Readonly<Record<string, unknown>>): string | undefined {
  if (actionSucceed !== false && !Array.isArray(errorWrappers)) return undefined
  const [first] = Array.isArray(errorWrappers) ? (errorWrappers as unknown[]) : []
  const { error } = (first ?? {}) as { error?: unknown }
  // Limited to letters, since the code is logged.
  return typeof error === 'string' && /^[A-Z_]{1,40}$/.test(error) ? error : 'ERROR'
}

// Some states compare the name themselves, some return the registered name, and some do not reveal it.
function nameMatchOf(name: string | null, body: Readonly<Record<string, unknown>>): VatNameMatch {
  if (name === null) return 'unknown'
  if (body.traderNameMatch === 'VALID') return 'match'
  if (body.traderNameMatch === 'INVALID') return 'differs'
  const registered = textOf(body.name) ?? textOf(body.traderName)
  if (registered === undefined) return 'unknown'
  return plainName(registered) === plainName(name) ? 'match' : 'differs'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value !== '---' ? value.trim() : undefined
}

function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
