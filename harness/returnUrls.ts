// What a provider is told of the way there and back, where a test is not about it.

import type { ReturnUrls } from '../src/domain/payments/port.ts'

export const returnUrls = async (): Promise<ReturnUrls> => ({
  returnUrl: 'http://127.0.0.1/r/token',
  cancelUrl: 'http://127.0.0.1/r/token',
  locale: 'en',
  merchantName: 'Bloom',
})
