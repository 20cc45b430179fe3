// Downloads a picture from another server.

import { type GetProblem, type Got, guardedGet } from '../webhooks/get.ts'

export type ReadPicture = (address: string) => Promise<Got | GetProblem>

const bytesMax = 15 * 2 ** 20
const msMax = 20_000
const redirectsMax = 3

export function createReadPicture(allowPrivate: boolean): ReadPicture {
  return (address) => guardedGet(address, { allowPrivate, accept: 'image/*', bytesMax, msMax, redirectsMax })
}
