// The steps of moving money. A test can end the process at each of them.

export type MoneyStep =
  // Steps of a payment: recorded before its provider is called; called; closed at the provider; about to be recorded; recorded.
  | 'recorded'
  | 'called'
  | 'closed'
  | 'settling'
  | 'settled'
  // Steps of a webhook: verified; noted at the payment.
  | 'heard'
  | 'noted'
  // Steps of a refund: marked before its provider is called; answered; recorded.
  | 'asked'
  | 'answered'
  | 'paid'

// Called with the name of each step as it is passed.
export type OnStep = (step: MoneyStep) => void
