// What a shop lacks to sell. Reported only as warnings, since a file may be one of several and a shop may be built step by step. Pure.

import type { Mode } from '../../contract/words.ts'

export interface SellingFacts {
  // Installations of the file. Those of apps are not included, since a file cannot change them.
  installations: readonly { name: string; mode: Mode; redirectHosts?: readonly string[] | undefined }[]
  hasInstallation: boolean
  hasZone: boolean
  hasTaxRate: boolean
  sells: boolean
  ships: boolean
}

export type ReadinessGap = 'no_installation' | 'no_redirect_host' | 'no_shipping_zone' | 'no_tax_rates'

// In test mode, an installation without redirect hosts can be tried out, because every loopback host is allowed.
export function readinessWarnings(facts: SellingFacts): string[] {
  if (!facts.sells) return []
  return [
    ...facts.installations
      .filter(({ mode, redirectHosts = [] }) => mode === 'live' && redirectHosts.length === 0)
      .map(({ name }) => readinessGapText('no_redirect_host', name)),
    ...(facts.hasInstallation ? [] : [readinessGapText('no_installation')]),
    ...(facts.ships && !facts.hasZone ? [readinessGapText('no_shipping_zone')] : []),
    ...(facts.hasTaxRate ? [] : [readinessGapText('no_tax_rates')]),
  ]
}

// `name`: the installation, if an installation has the gap.
export function readinessGapText(lack: ReadinessGap, name = ''): string {
  return texts[lack].replace('{name}', () => name)
}

const texts: Readonly<Record<ReadinessGap, string>> = {
  no_installation:
    'there is no installation, so there can be no API key: name one under installations, or install an app',
  no_redirect_host: 'installation {name} has no redirectHosts, so it can open no checkout: name the hosts of your shop',
  no_shipping_zone: 'there is no shipping zone, so nothing that is shipped can be sold: name one under shipping',
  no_tax_rates: 'there are no tax rates, so no tax is charged: name them under taxes, if only a rate of 0',
}
