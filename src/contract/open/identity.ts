// The identity of a credential: the key, its installation, and the app and merchant that the installation belongs to. Contains no secret
// and no person.

import {
  AppId,
  Count,
  Country,
  CredentialId,
  Currency,
  InstallationId,
  Instant,
  MerchantId,
  Mode,
  Scopes,
  Slug,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { credentialStatuses, installationStatuses } from '../words.ts'

export const credentialMembers = {
  id: CredentialId,
  name: Type.String(),
  prefix: Type.String({ description: 'The public beginning of the key, up to and including its lookup part.' }),
  last4: Type.String({ minLength: 4, maxLength: 4, description: 'The last four characters of the key.' }),
  scopes: Scopes,
  status: oneOf(credentialStatuses),
  createdAt: Instant,
  expiresAt: nullable(Instant),
  lastUsedAt: nullable(Instant, { description: 'To the minute.' }),
}

export const Credential = object({ type: Type.Literal('api_key'), ...credentialMembers })

export const Installation = object({
  id: InstallationId,
  name: Type.String(),
  mode: Mode,
  status: oneOf(installationStatuses),
  createdAt: Instant,
})

export const App = object({ id: AppId, name: Type.String() })

export const Merchant = object({
  id: MerchantId,
  slug: Slug,
  name: Type.String(),
  currency: Currency,
  country: Country,
})

export const Limits = object({
  requestsPerSecond: nullable(Count, { description: 'Steady rate of this credential. null: not limited.' }),
  burst: nullable(Count, { description: 'Requests that may come at once. null: not limited.' }),
  bodyBytesMax: Count,
  cartLinesMax: Count,
  quantityMax: Count,
})

export const InstallationCredentialIdentityResponse = object({
  data: object({
    credential: Credential,
    installation: Installation,
    app: nullable(App, { description: 'The app that was installed by OAuth; null for keys made by the operator.' }),
    merchant: Merchant,
    limits: Limits,
  }),
})

export type Credential = Static<typeof Credential>
export type Installation = Static<typeof Installation>
export type Merchant = Static<typeof Merchant>
export type Limits = Static<typeof Limits>
export type InstallationCredentialIdentityResponse = Static<typeof InstallationCredentialIdentityResponse>
