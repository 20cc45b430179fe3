// Text shown at the terminal when a server has started.

import type { Config } from '../../platform/config.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import { program } from '../../platform/kit/program.ts'
import type { Log } from '../../platform/log/log.ts'
import { version } from '../../platform/version.ts'
import { CommandFailure, type Terminal } from './command.ts'
import type { Demo } from './demo.ts'

// Warns of settings that the operator may want to reconsider.
export function warnOfSettings(config: Config, log: Log): void {
  if (config.publicUrl?.startsWith('https:') && config.trustedProxies.length === 0)
    log.warn(
      'CARTWRIGHT_PUBLIC_URL is https but CARTWRIGHT_TRUSTED_PROXIES is empty: all clients share the rate limit of the proxy until CARTWRIGHT_TRUSTED_PROXIES names the proxy',
    )
  if (config.production && config.publicUrl === null)
    log.warn(
      'CARTWRIGHT_PUBLIC_URL is not set: the server only answers requests from this machine, for setting up and trying a shop',
      { host: config.host },
    )
  if (config.production && config.mail.target.kind === 'off')
    log.warn('CARTWRIGHT_MAIL_URL is not set: no e-mails are sent to shoppers')
  if (
    config.mail.target.kind === 'file' &&
    (config.production || (config.publicUrl && !isLoopback(new URL(config.publicUrl))))
  )
    log.warn('CARTWRIGHT_MAIL_URL is a folder: e-mails are stored there unencrypted, and not sent to shoppers')
}

// The server runs even if the greeting cannot be printed.
export function printGreeting(print: Terminal['out'], log: Log, greeting: string): void {
  try {
    print(greeting)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    log.warn('the start message could not be written', { reason: error.message })
  }
}

// The setup link contains a secret: it is printed, but never logged.
export function setupText(url: string): string {
  return [
    '',
    '  This server has no shop yet. To set up a shop, open this link in a browser. The link works once, for an hour;',
    '  the next start prints a new link:',
    '',
    `  ${url}`,
    '',
    '',
  ].join('\n')
}

// Webhooks to this machine are off by default; the server and `webhooks listen` both need the setting.
function webhookLines({ webhookAllowPrivate }: Config): string[] {
  const setting = 'CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1'
  return [
    ...(webhookAllowPrivate
      ? []
      : [`  To see webhooks, start the server with ${setting}, and run in a second terminal:`]),
    `  ${webhookAllowPrivate ? 'webhooks     ' : ''}${setting} ${program} webhooks listen`,
  ]
}

interface GreetingFacts {
  mayDemo: boolean
  hasStorefront: boolean
  // The demo shop, if this start created it.
  demo: Awaited<ReturnType<Demo['makeDemoShop']>> | undefined
}

export function greetingFor(origin: string, config: Config, { mayDemo, hasStorefront, demo }: GreetingFacts): string {
  if (config.production) return ''
  const lines = [
    '',
    `  Cartwright ${version} is listening`,
    '',
    `  start page   ${origin}/`,
    `  reference    ${origin}/docs`,
    `  contract     ${origin}/openapi.json`,
    ...(hasStorefront ? ['', `  storefront   ${origin}/shop`] : []),
  ]
  const product = demo?.products[0]
  if (demo && product) {
    lines.push(
      `  demo shop    ${demo.merchant.slug}, ${demo.products.length} products, test mode`,
      `  promotion    ${demo.promotionCodes[0]}   one of ${demo.promotionCodes.length} codes`,
      `  key          ${demo.keys.full}   the four open scopes`,
      `  key          ${demo.keys.catalog}   catalog:read`,
      `  key          ${demo.keys.none}   no scope`,
      `  key          ${demo.keys.admin}   the eight admin scopes`,
      `  admin        ${origin}/admin`,
      `  sign in      ${demo.user.email}   password ${demo.user.password}`,
      ...demo.colleagues.map(({ email, role }) => `  or as        ${email}   ${role}, the same password`),
      `  The keys and the password are shown only once. To get new ones, run \`${program} demo\`.`,
      '',
      ...webhookLines(config),
      '',
      `  curl -H "Authorization: Bearer ${demo.keys.full}" ${origin}/api/v1/open/installation/identity`,
      `  curl -H "Authorization: Bearer ${demo.keys.full}" ${origin}/api/v1/open/catalog/products`,
      `  curl ${origin}/api/v1/catalog/merchants/${demo.merchant.slug}/products/${product.slug}`,
    )
  } else if (mayDemo) {
    lines.push(
      '',
      `  admin        ${origin}/admin`,
      '  The existing shop is unchanged. Its keys and passwords were shown when they were created and are not shown again.',
      ...(hasStorefront ? [`  To get new keys and a new password for the demo shop, run \`${program} demo\`.`] : []),
      `  To get a link for a new password of a user, run \`${program} users reset E-MAIL\`.`,
      '',
      ...webhookLines(config),
    )
  } else {
    lines.push('', `  To create a shop from a shop file, run \`${program} apply FILE\`.`)
  }
  return `${lines.join('\n')}\n\n`
}
