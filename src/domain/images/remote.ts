// Downloads a picture from another server.

import { type GetProblem, type GetResponse, guardedGet } from '../webhooks/get.ts'

export type ReadPicture = (address: string) => Promise<GetResponse | GetProblem>

const bytesMax = 15 * 2 ** 20
const msMax = 20_000
const redirectsMax = 3

export function createReadPicture(allowPrivate: boolean): ReadPicture {
  return (address) => guardedGet(address, { allowPrivate, accept: 'image/*', bytesMax, msMax, redirectsMax })
}
