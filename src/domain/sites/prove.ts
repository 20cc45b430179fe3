// Checks the proof that a host belongs to a merchant: a TXT record, or the response of this server under that name. Merchants choose the
// name, and the request is sent from inside our network, so only public addresses are called, and no redirect is followed.

import { lookup, resolveTxt } from 'node:dns/promises'
import type { HostProblem } from '../../contract/words.ts'
import { isForbiddenAddress } from '../webhooks/guard.ts'
import { proofPath, proofRecord } from './hosts.ts'

// An import would load Node's own HTTP client too (see platform/http/sockets.ts).
const { request } = process.getBuiltinModule('node:http')

export type ProveHost = (host: string, proof: string) => Promise<'proved' | HostProblem>

const timeoutMs = 5_000
const bytesMax = 1_024

export const proveHost: ProveHost = async (host, proof) => {
  const { name, value } = proofRecord(host, proof)
  const records = await resolveTxt(name).catch(() => [])
  if (records.some((pieces) => pieces.join('') === value)) return 'proved'
  const addresses = await lookup(host, { all: true }).catch(() => [])
  const [address] = addresses.filter((one) => !isForbiddenAddress(one.address, { allowPrivate: false }))
  if (!address) return 'not_found'
  const text = await readText(address.address, host).catch(() => undefined)
  if (text === undefined) return 'unreachable'
  // The response contains both proofs if two merchants added the host. Then only a TXT record proves who owns the host.
  return text.trim() === proof ? 'proved' : 'not_answering'
}

function readText(address: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: address, port: 80, path: proofPath, headers: { host }, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
          if (text.length > bytesMax) response.destroy(new Error(`the response has more than ${bytesMax} characters`))
        })
        response.on('end', () => resolve(response.statusCode === 200 ? text : ''))
        response.on('error', reject)
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}
