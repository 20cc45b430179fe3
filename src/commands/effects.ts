// What every command does to the database, in one place. A verb that is not here changes it.

import type { Effect } from '../database.ts'

// `none`: it does not look at the database at all.
export const effects: Readonly<Record<string, Effect | 'none'>> = {
  serve: 'creates',
  migrate: 'creates',
  backup: 'reads',
  restore: 'creates',
  demo: 'creates',
  apply: 'creates',
  'apply --dry-run': 'reads',
  import: 'changes',
  'promotions list': 'reads',
  'promotions show': 'reads',
  'promotions add': 'changes',
  'promotions disable': 'changes',
  'promotions enable': 'changes',
  'methods list': 'reads',
  'methods set': 'changes',
  'orders list': 'reads',
  'orders show': 'reads',
  'orders pay': 'changes',
  'orders fulfil': 'changes',
  'orders refund': 'changes',
  'orders cancel': 'changes',
  'shoppers forget': 'changes',
  'shoppers --dry-run': 'reads',
  'webhooks list': 'reads',
  'webhooks deliveries': 'reads',
  'webhooks add': 'changes',
  'webhooks rotate': 'changes',
  'webhooks test': 'changes',
  'webhooks pause': 'changes',
  'webhooks enable': 'changes',
  'webhooks disable': 'changes',
  'webhooks remove': 'changes',
  'webhooks replay': 'changes',
  'webhooks listen': 'changes',
  'keys list': 'reads',
  'keys create': 'changes',
  'keys rotate': 'changes',
  'keys revoke': 'changes',
  'apps list': 'reads',
  'apps show': 'reads',
  'apps installations': 'reads',
  'apps create': 'changes',
  'apps change': 'changes',
  'apps disable': 'changes',
  'apps enable': 'changes',
  'apps uninstall': 'changes',
  'users list': 'reads',
  'users create': 'changes',
  'users password': 'changes',
  'users merchants': 'changes',
  'users disable': 'changes',
  'users enable': 'changes',
  doctor: 'reads',
  openapi: 'none',
  secret: 'none',
  'secret forget': 'changes',
}

export function effectOf(name: string, words: readonly string[], flags: ReadonlySet<string>): Effect {
  const keys = [...[...flags].map((flag) => `${name} --${flag}`), `${name} ${words[0]}`, name]
  const found = keys.map((key) => (Object.hasOwn(effects, key) ? effects[key] : undefined)).find(Boolean)
  return found === undefined || found === 'none' ? 'changes' : found
}
