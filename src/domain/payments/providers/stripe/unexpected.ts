// A response that Stripe should never return to our requests. The code is for the log; there is no message.

export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly code: string

  constructor(code: string) {
    super('')
    this.code = code
  }
}
