// The operations for an installed app: they show the granted scopes, and create and revoke the app's own API keys.

import { issueAt } from '../../contract/issues.ts'
import type { InstallationKey } from '../../contract/open/oauth.ts'
import { credentialStatus, newCredential, scopesFrom } from '../../platform/access/credential.ts'
import {
  type CredentialRow,
  findCredentialById,
  insertCredential,
  listCredentials,
  revokeCredential,
} from '../../platform/access/store.ts'
import type { OAuthCaller, OpenInterfaceHandlers } from '../../platform/http/open.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { countLivingKeys, lockInstallation } from './grants.ts'
import { clientAuthMethods, grantTypes, oauthPaths } from './metadata.ts'
import { proofAgeSecondsMax, proofAlgorithms } from './proof.ts'

export interface OAuthOperationParts {
  rootSecret: RootSecret
  publicOrigin: () => string
  // Removes a revoked key from the cache of this node, so the key is refused immediately.
  forget: (credentialId: string) => void
}

type Ours = 'describeOAuthAuthorization' | 'createInstallationKey' | 'listInstallationKeys' | 'revokeInstallationKey'

// Enough for rotating keys, and few enough to notice one that was forgotten.
const livingKeysMax = 10

export function oauthOperations({
  rootSecret,
  publicOrigin,
  forget,
}: OAuthOperationParts): Pick<OpenInterfaceHandlers, Ours> {
  return {
    async describeOAuthAuthorization({ caller }) {
      const origin = publicOrigin()
      return {
        data: {
          kind: 'oauth_authorization',
          issuer: origin,
          clientId: caller.appId,
          appName: caller.appName,
          installationId: caller.installationId,
          merchant: { id: caller.merchantId, slug: caller.merchantSlug },
          scopes: [...caller.grantedScopes],
          grantedAt: toInstant(caller.grantedAt),
          tokenExpiresAt: toInstant(caller.tokenExpiresAt),
          endpoints: {
            authorization: origin + oauthPaths.authorization,
            token: origin + oauthPaths.token,
            pushedAuthorization: origin + oauthPaths.pushedAuthorization,
            revocation: origin + oauthPaths.revocation,
            jwks: origin + oauthPaths.jwks,
            installationKeys: origin + oauthPaths.installationKeys,
          },
          responseTypes: ['code'],
          grantTypes: [...grantTypes],
          codeChallengeMethods: ['S256'],
          tokenEndpointAuthMethods: [...clientAuthMethods],
          dpop: {
            required: true,
            signingAlgs: [...proofAlgorithms],
            nonceRequired: true,
            jkt: caller.jkt,
            iatWindowSeconds: proofAgeSecondsMax,
          },
        },
      }
    },

    async createInstallationKey({ db, caller, body, now }) {
      const expiresAt = body.expiresAt === undefined ? null : Date.parse(body.expiresAt)
      if (expiresAt !== null && expiresAt <= now.getTime())
        throw refuse('invalid_request', { issues: [issueAt('/expiresAt', 'not_in_future')] })
      await lockLiving(db, caller)
      if ((await countLivingKeys(db, caller.installationId, now.getTime())) >= livingKeysMax) {
        const message = `The installation has ${livingKeysMax} active keys, which is the maximum: revoke one first.`
        throw refuse('invalid_request', { message })
      }
      const { installationId, merchantId, mode } = caller
      const { name, scopes } = body
      const input = { installationId, merchantId, name, mode, scopes, expiresAt, rotatedFrom: null }
      const { credential, keyText } = newCredential(rootSecret, input, now.getTime())
      await insertCredential(db, credential)
      const row = await findCredentialById(db, credential.id)
      if (!row) throw new Error(`the inserted key ${credential.id} does not exist`)
      return { data: { key: keyView(row, now), secret: keyText } }
    },

    async listInstallationKeys({ db, caller, now }) {
      const rows = await listCredentials(db, caller.installationId)
      return { data: { keys: rows.map((row) => keyView(row, now)) } }
    },

    // Revoking a key a second time is not an error.
    async revokeInstallationKey({ db, caller, path: { keyId }, now }) {
      if (!isId('key', keyId)) throw refuse('credential_not_found')
      await lockLiving(db, caller)
      const isRevoked = await revokeCredential(db, caller.installationId, keyId, now.getTime())
      const row = await findCredentialById(db, keyId)
      if (!row || row.installationId !== caller.installationId) throw refuse('credential_not_found')
      if (isRevoked) {
        db.afterCommit(() => forget(keyId))
        db.signal('credentials')
      }
      return { data: { key: keyView(row, now) } }
    },
  }
}

// The installation may have ended, perhaps on another node, after the token was checked.
async function lockLiving(tx: Tx, caller: OAuthCaller): Promise<void> {
  const installation = await lockInstallation(tx, caller.installationId)
  if (installation && installation.endedAt === null) return
  throw refuse('unauthenticated', { headers: { 'www-authenticate': 'DPoP error="invalid_token"' } })
}

function keyView(row: CredentialRow, now: Date): InstallationKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: [...scopesFrom(row.scopes)],
    status: credentialStatus(row, now.getTime()),
    createdAt: toInstant(row.createdAt),
    expiresAt: row.expiresAt === null ? null : toInstant(row.expiresAt),
    lastUsedAt: row.lastUsedAt === null ? null : toInstant(row.lastUsedAt),
  }
}
