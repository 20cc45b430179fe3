// Texts of the online store in German.

import type { Plural } from './plural.ts'
import type { storeEn } from './store.en.ts'

export const storeDe: Readonly<Record<keyof typeof storeEn, string | Plural>> = {
  'store.title': 'Onlineshop',
  'store.see': 'Shop ansehen',
  'store.open': 'Ihr Shop ist geöffnet',
  'store.openText': 'Alle können ihn sehen und dort kaufen.',
  'store.closed': 'Ihr Shop ist geschlossen',
  'store.closedText':
    'Kundinnen und Kunden sehen eine Seite, die das sagt. Sie selbst und Ihr Team sehen den ganzen Shop, solange Sie angemeldet sind, mit einer Leiste darüber.',
  'store.nowhere': 'Dieser Server zeigt keinen Shop.',
  'store.address': 'Adresse',
  'store.since': 'Geöffnet seit',
  'store.test': 'Das ist der Shop im Testmodus: Es fließt kein Geld, und Suchmaschinen lassen ihn aus.',
  'store.doOpen': 'Shop öffnen',
  'store.doClose': 'Shop schließen',
  'store.noPayment': 'Noch kann niemand bezahlen. Schalten Sie vor dem Öffnen eine Zahlungsart ein:',
  'store.noShipping': 'Noch kann nichts verkauft werden, was verschickt wird. Legen Sie fest, wohin Sie liefern:',
  'done.storeOpen': 'Der Shop ist geöffnet.',
  'done.storeClosed': 'Der Shop ist geschlossen.',
  'state.site.open': 'Geöffnet',
  'state.site.closed': 'Geschlossen',
}
