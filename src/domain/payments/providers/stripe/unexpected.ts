// A response of Stripe, or a request of ours, that should never occur. The code is for the log; there is no message.

export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly code: string

  constructor(code: string) {
    super('')
    this.code = code
  }
}
