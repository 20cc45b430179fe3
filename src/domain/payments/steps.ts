// The steps of payments and refunds. A test can end the process at each of them.

export type MoneyStep =
  // Steps of a payment: attempt recorded; provider called; closed at the provider; outcome about to be recorded; outcome recorded.
  | 'recorded'
  | 'called'
  | 'closed'
  | 'settling'
  | 'settled'
  // Steps of a webhook: verified; noted at the payment.
  | 'heard'
  | 'noted'
  // Steps of a refund: request marked, before the provider is called; response received; outcome recorded.
  | 'asked'
  | 'answered'
  | 'paid'

// Called with each step when it is reached.
export type OnStep = (step: MoneyStep) => void
