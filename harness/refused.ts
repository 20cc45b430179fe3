// The outcome of a call: its result, or the code and message of its refusal.

import type { RefusalCode } from '../src/contract/refusals.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'

export type Answered<Done> = { done: Done } | { code: RefusalCode; message: string }

export async function answerOf<Done>(work: Promise<Done>): Promise<Answered<Done>> {
  try {
    return { done: await work }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.code, message: error.message }
  }
}
