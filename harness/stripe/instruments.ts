// The cards and bank accounts that Stripe publishes for tests, and what they do: https://docs.stripe.com/testing and
// https://docs.stripe.com/payments/sepa-debit/accept-a-payment#test-integration. In the stand-in they do the same with live keys, because no
// other card works here.

export interface Decline {
  code: string
  declineCode?: string
  message: string
}

export interface Card {
  kind: 'card'
  number: string
  brand: 'amex' | 'mastercard' | 'visa'
  needsAuthentication?: true
  declines?: Decline
  // What becomes of a refund: begins as `pending`, or succeeds and fails later.
  refunds?: 'pending' | 'fails_later'
  // The charge is disputed as soon as it is made.
  isDisputed?: true
}

export interface DebitAccount {
  kind: 'sepa_debit'
  iban: string
  // What the bank answers days later.
  fate: 'succeeds' | 'fails' | 'succeeds_and_is_disputed'
}

export type Instrument = Card | DebitAccount

const declined = (declineCode: string): Decline => ({
  code: 'card_declined',
  declineCode,
  message: declineCode === 'insufficient_funds' ? 'Your card has insufficient funds.' : 'Your card was declined.',
})

// biome-ignore format: a table is read by its rows
const instruments: readonly Instrument[] = [
  { kind: 'card', number: '4242424242424242', brand: 'visa' },
  { kind: 'card', number: '5555555555554444', brand: 'mastercard' },
  { kind: 'card', number: '378282246310005', brand: 'amex' },
  { kind: 'card', number: '4000000000000002', brand: 'visa', declines: declined('generic_decline') },
  { kind: 'card', number: '4000000000009995', brand: 'visa', declines: declined('insufficient_funds') },
  { kind: 'card', number: '4000000000009987', brand: 'visa', declines: declined('lost_card') },
  { kind: 'card', number: '4000000000009979', brand: 'visa', declines: declined('stolen_card') },
  { kind: 'card', number: '4100000000000019', brand: 'visa', declines: declined('fraudulent') },
  { kind: 'card', number: '4000000000000069', brand: 'visa', declines: { code: 'expired_card', message: 'Your card has expired.' } },
  { kind: 'card', number: '4000000000000127', brand: 'visa', declines: { code: 'incorrect_cvc', message: "Your card's security code is incorrect." } },
  { kind: 'card', number: '4000000000000119', brand: 'visa', declines: { code: 'processing_error', message: 'An error occurred while processing your card. Try again in a little bit.' } },
  { kind: 'card', number: '4000002500003155', brand: 'visa', needsAuthentication: true },
  { kind: 'card', number: '4000002760003184', brand: 'visa', needsAuthentication: true },
  { kind: 'card', number: '4000008260003178', brand: 'visa', needsAuthentication: true, declines: declined('insufficient_funds') },
  { kind: 'card', number: '4000008400001629', brand: 'visa', needsAuthentication: true, declines: declined('generic_decline') },
  { kind: 'card', number: '4000000000007726', brand: 'visa', refunds: 'pending' },
  { kind: 'card', number: '4000000000005126', brand: 'visa', refunds: 'fails_later' },
  { kind: 'card', number: '4000000000000259', brand: 'visa', isDisputed: true },
  { kind: 'sepa_debit', iban: 'DE89370400440532013000', fate: 'succeeds' },
  { kind: 'sepa_debit', iban: 'DE62370400440532013001', fate: 'fails' },
  { kind: 'sepa_debit', iban: 'DE35370400440532013002', fate: 'succeeds_and_is_disputed' },
]

// Names of payment methods that stand for these in requests of a server.
const tokens: Readonly<Record<string, string>> = {
  pm_card_visa: '4242424242424242',
  tok_visa: '4242424242424242',
  // Grants of a platform have names by chance. These say what becomes of them.
  spt_visa: '4242424242424242',
  spt_declined: '4000000000000002',
  spt_authentication: '4000002760003184',
  pm_card_mastercard: '5555555555554444',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_createDispute: '4000000000000259',
  pm_card_pendingRefund: '4000000000007726',
  pm_card_refundFail: '4000000000005126',
  pm_success_de: 'DE89370400440532013000',
  pm_failed_de: 'DE62370400440532013001',
  pm_disputed_de: 'DE35370400440532013002',
}

// By card number, IBAN or token.
export function findInstrument(text: string): Instrument | undefined {
  const wanted = (tokens[text] ?? text).replaceAll(' ', '').toUpperCase()
  return instruments.find((one) => (one.kind === 'card' ? one.number : one.iban) === wanted)
}

export function last4Of(instrument: Instrument): string {
  return (instrument.kind === 'card' ? instrument.number : instrument.iban).slice(-4)
}
