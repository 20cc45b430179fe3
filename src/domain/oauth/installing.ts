// A grant and its installation are created in one transaction when a merchant approves. They end in one transaction, together with all
// codes, tokens, keys and webhook endpoints.

import type { EventDataOf } from '../../contract/open/events.ts'
import type { Mode, Scope } from '../../contract/words.ts'
import { revokeCredentials } from '../../platform/access/store.ts'
import { newId } from '../../platform/kit/ids.ts'
import { announce } from '../../platform/outbox/announce.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { mayGrantScopes, mayInstall } from '../users/roles.ts'
import { findMerchantOf } from '../users/users.ts'
import { removeEndpointsOf } from '../webhooks/endpoints.ts'
import { type OAuthApp, redirectHostsOf } from './apps.ts'
import { encryptPayload, hashArtifactId } from './artifacts.ts'
import {
  findInstalledApp,
  type InstalledApp,
  insertAppInstallation,
  listOtherInstallations,
  listTakenNames,
  lockInstallation,
  lockInstallationOfGrant,
  lockMerchantOfInstallations,
  lockSessionsOf,
  moveInstallationToEnded,
} from './grants.ts'
import { findFreeName } from './names.ts'
import { deleteGrant, saveArtifact } from './store.ts'

export interface Approval {
  // Id of the grant in OAuth. A double click that approves one page twice sends the same id twice.
  grant: string
  app: OAuthApp
  userId: string
  hasSecondFactor: boolean
  merchantId: string
  // The identifier of our API, to which the scopes apply (RFC 8707).
  resource: string
  granted: readonly Scope[]
  // Scopes that were requested but not granted. They are recorded, so the library does not ask the user again.
  rejected: readonly Scope[]
  // The requested OpenID scopes, which we do not support.
  rejectedWords: readonly string[]
  // Only for an assistant: the URL of its document, which is the client id, and the mode, which the person chooses. An app has its own id
  // and mode.
  assistant?: { clientUri: string; mode: Mode; signedInAt: number }
}

// Returns false if the user is not or no longer a member of the shop, lacks the rights for this approval, or was signed out before the
// approval of an assistant. If a page is approved twice, only the first approval counts.
export async function installApp(tx: Tx, rootSecret: RootSecret, approval: Approval, now: number): Promise<boolean> {
  const { app, userId, merchantId } = approval
  const mode = approval.assistant?.mode ?? app.mode
  const grantId = hashArtifactId(approval.grant)
  await lockMerchantOfInstallations(tx, merchantId)
  if (await lockInstallationOfGrant(tx, grantId)) return true
  const membership = await findMerchantOf(tx, userId, merchantId)
  if (!membership) return false
  // An app acts for the merchant, so the person must be allowed to install apps. An assistant acts for the person.
  if (!approval.assistant && !mayInstall(membership)) return false
  // A person cannot grant a scope that this person does not have.
  if (!mayGrantScopes(membership, approval.granted)) return false
  if (membership.needsSecondFactor && !approval.hasSecondFactor) return false
  const { signedInAt } = approval.assistant ?? {}
  const createdAt = signedInAt === undefined ? now : await lockSessionsOf(tx, userId, { signedInAt, now })
  if (createdAt === undefined) return false
  const id = newId('ins')
  const name = await findFreeName(app.name, (names) => listTakenNames(tx, merchantId, names))
  await insertAppInstallation(
    tx,
    {
      id,
      merchantId,
      name,
      mode,
      redirectHosts: JSON.stringify(approval.assistant ? [] : redirectHostsOf(app)),
      appId: app.id,
      grantId,
      grantedScopes: JSON.stringify(approval.granted),
      approvedBy: userId,
    },
    createdAt,
  )
  await announceApp(tx, 'app.installed', { id, name, merchantId, mode, appId: app.id, appName: app.name }, now)
  const sealed = encryptPayload(rootSecret, 'Grant', grantId, grantPayload(approval, now))
  await saveArtifact(tx, { kind: 'Grant', id: grantId, sealed, grantId, uid: null, expiresAt: null }, now)
  return true
}

// A grant as the library reads it; adapter.ts adds the expiry. The grant is written here instead of by the library, as part of the same
// transaction.
function grantPayload(approval: Approval, now: number) {
  const { grant, app, assistant, userId, resource, granted, rejected, rejectedWords } = approval
  return {
    jti: grant,
    kind: 'Grant',
    iat: Math.floor(now / 1000),
    accountId: userId,
    clientId: assistant?.clientUri ?? app.id,
    resources: { [resource]: granted.join(' ') },
    rejected: {
      ...(rejected.length > 0 && { resources: { [resource]: rejected.join(' ') } }),
      ...(rejectedWords.length > 0 && { openid: { scope: rejectedWords.join(' ') } }),
    },
  }
}

// Ends all that belongs to a grant. Returns the id of its installation. Ending a grant again changes nothing.
export async function endInstallationOfGrant(tx: Tx, grantId: string, now: number): Promise<string | undefined> {
  const installation = await lockInstallationOfGrant(tx, grantId)
  if (installation) await end(tx, installation.id, grantId, now)
  return installation?.id
}

// Called for the operator, and by the sweep. Returns false if the installation does not belong to an app or has already ended.
export async function uninstallApp(tx: Tx, installationId: string, now: number): Promise<boolean> {
  const installation = await lockInstallation(tx, installationId)
  if (!installation || installation.grantId === null || installation.endedAt !== null) return false
  await end(tx, installation.id, installation.grantId, now)
  return true
}

// Ends an installation, with or without an app. Returns false if it does not exist or has already ended.
export async function endInstallation(tx: Tx, installationId: string, now: number): Promise<boolean> {
  const installation = await lockInstallation(tx, installationId)
  if (!installation || installation.endedAt !== null) return false
  await end(tx, installation.id, installation.grantId, now)
  return true
}

// From this commit on, the open checkouts of the installation accept no payment. A job ends them (domain/checkout/sweep.ts).
async function end(tx: Tx, installationId: string, grantId: string | null, now: number): Promise<void> {
  await moveInstallationToEnded(tx, installationId, now)
  await revokeCredentials(tx, installationId, now)
  if (grantId !== null) await deleteGrant(tx, grantId)
  await removeEndpointsOf(tx, installationId, now)
  tx.signal('credentials')
  const app = await findInstalledApp(tx, installationId)
  if (app) await announceApp(tx, 'app.uninstalled', app, now)
}

// Sends the event to the merchant's other installations in the same mode.
async function announceApp(
  tx: Tx,
  kind: 'app.installed' | 'app.uninstalled',
  { id, name, merchantId, mode, appId, appName }: InstalledApp,
  now: number,
): Promise<void> {
  const data: EventDataOf<typeof kind> = { installation: { id, name }, app: { id: appId, name: appName } }
  const sequence = kind === 'app.installed' ? 1 : 2
  for (const installationId of await listOtherInstallations(tx, { merchantId, mode }, id))
    announce(tx, {
      installationId,
      mode,
      kind,
      subject: { type: 'installation', id },
      sequence,
      dataText: JSON.stringify(data),
      cause: null,
      now,
    })
}
