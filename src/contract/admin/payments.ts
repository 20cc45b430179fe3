// Accounts at payment providers: schemas and operations. A caller sees only those of its own mode.

import { issueSchema } from '../errors.ts'
import { issueCodes } from '../issues.ts'
import { limits } from '../limits.ts'
import { IdempotencyKey, Instant, Mode, PaymentAccountId } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { okReply } from '../surface.ts'
import { paymentAccountProblems } from '../words.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

const idempotencyKey = Type.Optional(IdempotencyKey)

export const AdminPaymentAccount = object({
  id: PaymentAccountId,
  provider: Type.String({ description: 'Name of the payment provider.' }),
  mode: Mode,
  account: nullable(Type.String(), { description: "The provider's id of the account." }),
  name: nullable(Type.String(), { description: "The provider's own name of the account." }),
  receivesNotices: Type.Boolean({
    description:
      'Whether the provider can call this server. If not (the public URL is not https), payments are looked up on a schedule.',
  }),
  problems: Type.Array(oneOf(paymentAccountProblems), {
    maxItems: 3,
    description:
      'What does not work: the provider refuses the key, a permission is missing, or notices are refused because of their signature.',
  }),
  createdAt: Instant,
  endedAt: nullable(Instant, {
    description: 'Since then it takes no new payment; its own are looked up and refunded.',
  }),
})

const AccountIssue = issueSchema(issueCodes)

export const AdminPaymentAccountResponse = object({ data: AdminPaymentAccount })
export const AdminPaymentAccountCheckResponse = object({
  data: object({
    ...AdminPaymentAccount.properties,
    issues: Type.Array(AccountIssue, {
      maxItems: limits.issuesMax,
      description: 'What is wrong at the provider now. Empty: the account works.',
    }),
  }),
})
export const AdminPaymentAccountEndResponse = object({
  data: object({
    ...AdminPaymentAccount.properties,
    leftover: nullable(AccountIssue, {
      description: 'Why what was made at the provider for notices is still there. null: nothing is.',
    }),
  }),
})

const AccountKeys = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  description:
    'The keys by their names. Stripe: `publishableKey` and `secretKey` (a restricted key is enough). Mollie: `key`. They are sealed, and no answer holds them.',
  additionalProperties: { type: 'string', minLength: 1, maxLength: 1000 },
  propertyNames: { pattern: '^[A-Za-z]{1,40}$' },
  minProperties: 1,
  maxProperties: 5,
})

export const ConnectAdminPaymentAccountRequest = object({
  idempotencyKey,
  provider: Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'Name of the payment provider: stripe or mollie.',
  }),
  keys: AccountKeys,
})

export const ReplaceAdminPaymentKeysRequest = object({ idempotencyKey, keys: AccountKeys })

export const EndAdminPaymentAccountRequest = object({ idempotencyKey })

// biome-ignore format: a row reads best as a few lines
export const paymentOperationRows = {
  connectAdminPaymentAccount: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/shop/accounts',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop', asksOutside: true,
    summary: 'Connect an account at a payment provider',
    description: 'The provider is asked whether it accepts the keys, which must be of the mode of the caller, and is given the address for notices. What is wrong with the keys is in `issues`.',
    body: ConnectAdminPaymentAccountRequest, reply: okReply(AdminPaymentAccountResponse),
    refusals: ['payment_provider_not_found', 'payment_account_exists', 'payment_account_refused', 'payment_provider_silent'],
  },
  checkAdminPaymentAccount: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/shop/accounts/{accountId}',
    scope: 'admin:settings', idempotency: 'none', audit: 'none', tag: 'Shop', asksOutside: true,
    summary: 'Check an account at a payment provider',
    description: 'Asks the provider now whether the account works.',
    body: null, reply: okReply(AdminPaymentAccountCheckResponse),
    refusals: ['payment_account_not_found'],
  },
  replaceAdminPaymentKeys: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/shop/accounts/{accountId}/keys',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop', asksOutside: true,
    summary: 'Replace the keys of an account',
    description: 'The new keys must be of the same account at the provider. Secrets of notices from before are accepted for 24 hours.',
    body: ReplaceAdminPaymentKeysRequest, reply: okReply(AdminPaymentAccountResponse),
    refusals: ['payment_account_not_found', 'payment_account_refused', 'payment_provider_silent'],
  },
  disconnectAdminPaymentAccount: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/shop/accounts/{accountId}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop', asksOutside: true,
    summary: 'Disconnect an account at a payment provider',
    description: 'It takes no new payment from now on. Its own are still looked up and refunded, so its key must stay valid at the provider until they are settled.',
    body: EndAdminPaymentAccountRequest, reply: okReply(AdminPaymentAccountEndResponse),
    refusals: ['payment_account_not_found', 'payment_account_ended'],
  },
} as const satisfies AdminOperationRows

export type AdminPaymentAccount = Static<typeof AdminPaymentAccount>
