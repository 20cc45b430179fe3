// The identity operation: what a credential may know about itself.

import { limits } from '../../contract/limits.ts'
import type { InstallationStatus } from '../../contract/words.ts'
import { credentialStatus, scopesFrom } from '../../platform/access/credential.ts'
import { findCredentialById, type IdentityRow } from '../../platform/access/store.ts'
import type { OpenInterfaceHandler } from '../../platform/http/open.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'

export interface RateFacts {
  perSecond: number
  burst: number
}

export function installationOperations(rate: RateFacts | null): {
  getInstallationCredentialIdentity: OpenInterfaceHandler<'getInstallationCredentialIdentity'>
} {
  return {
    async getInstallationCredentialIdentity({ db, caller, now }) {
      const row = await findCredentialById(db, caller.id)
      // The credential was deleted after the caller was authenticated.
      if (!row) throw refuse('unauthenticated')
      return {
        data: {
          credential: {
            id: row.id,
            type: 'api_key',
            name: row.name,
            prefix: row.prefix,
            last4: row.last4,
            scopes: [...scopesFrom(row.scopes)],
            status: credentialStatus(row, now.getTime()),
            createdAt: toInstant(row.createdAt),
            expiresAt: row.expiresAt === null ? null : toInstant(row.expiresAt),
            lastUsedAt: row.lastUsedAt === null ? null : toInstant(row.lastUsedAt),
          },
          installation: {
            id: row.installationId,
            name: row.installationName,
            mode: row.installationMode,
            status: installationStatus(row),
            createdAt: toInstant(row.installationCreatedAt),
          },
          app: row.appId === null || row.appName === null ? null : { id: row.appId, name: row.appName },
          merchant: {
            id: row.merchantId,
            slug: row.merchantSlug,
            name: row.merchantName,
            currency: row.merchantCurrency,
            country: row.merchantCountry,
          },
          limits: {
            requestsPerSecond: rate?.perSecond ?? null,
            burst: rate?.burst ?? null,
            bodyBytesMax: limits.bodyBytesMax,
            cartLinesMax: limits.cartLinesMax,
            quantityMax: limits.quantityMax,
          },
        },
      }
    },
  }
}

function installationStatus(row: IdentityRow): InstallationStatus {
  if (row.installationEndedAt !== null) return 'ended'
  return row.installationDisabledAt === null ? 'active' : 'suspended'
}
