// Texts of the online store in English, which decides what every language has.

import type { Plural } from './plural.ts'

export const storeEn = {
  'store.title': 'Online store',
  'store.see': 'View the store',
  'store.open': 'Your store is open',
  'store.openText': 'Everyone can see it and buy there.',
  'store.closed': 'Your store is closed',
  'store.closedText':
    'Shoppers see a page that says so. You and your colleagues see the whole store while you are signed in, with a bar above it.',
  'store.nowhere': 'This server does not show a store.',
  'store.address': 'Address',
  'store.since': 'Open since',
  'store.test': 'This is the store in test mode: no money moves, and search engines leave it out.',
  'store.doOpen': 'Open the store',
  'store.doClose': 'Close the store',
  'store.noPayment': 'Shoppers cannot pay yet. Turn on a way to pay before you open:',
  'store.noShipping': 'Nothing that is shipped can be sold yet. Say where you deliver to:',
  'done.storeOpen': 'The store is open.',
  'done.storeClosed': 'The store is closed.',
  'hosts.title': 'Domains',
  'hosts.lead':
    'Show the store under a name of your own, such as www.example.com. Set its DNS at the place where you bought it.',
  'hosts.host': 'Domain',
  'hosts.add': 'Add the domain',
  'hosts.point':
    'Let its name lead to this server, with a CNAME record for {server} or an A record for its address. Or prove it by this TXT record:',
  'hosts.recordName': 'Name',
  'hosts.recordValue': 'Value',
  'hosts.check': 'Check now',
  'hosts.makeMain': 'Make it the main one',
  'hosts.remove': 'Remove',
  'hosts.checkedAt': 'Last checked {moment}.',
  'hosts.notChecked': 'Not checked yet.',
  'hosts.givenUp': 'It was not found for a week and is no longer looked for.',
  'hosts.problem.not_found': 'The name leads nowhere yet. Changes of DNS can take an hour.',
  'hosts.problem.not_answering':
    'The name leads to another server, or two shops asked for it. Prove it by the TXT record.',
  'hosts.problem.unreachable': 'Nothing answers under this name yet.',
  'hosts.problem.taken': 'Another shop on this server has this domain.',
  'done.hostAdded': 'The domain is added and looked for.',
  'done.hostChecked': 'The domain is looked for. Reload the page in a few seconds.',
  'done.hostMain': 'The main domain is changed.',
  'done.hostRemoved': 'The domain is removed.',
  'state.host.main': 'Main domain',
  'state.host.proved': 'Connected',
  'state.host.waiting': 'Waiting',
  'state.site.open': 'Open',
  'state.site.closed': 'Closed',
} as const satisfies Readonly<Record<string, string | Plural>>
