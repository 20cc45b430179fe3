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
  'hosts.title': 'Domains',
  'hosts.lead':
    'Zeigen Sie den Shop unter Ihrem eigenen Namen, etwa www.example.com. Die DNS-Einträge setzen Sie dort, wo Sie die Domain gekauft haben.',
  'hosts.host': 'Domain',
  'hosts.add': 'Domain hinzufügen',
  'hosts.point':
    'Leiten Sie den Namen auf diesen Server, mit einem CNAME-Eintrag für {server} oder einem A-Eintrag für seine Adresse. Oder belegen Sie ihn mit diesem TXT-Eintrag:',
  'hosts.recordName': 'Name',
  'hosts.recordValue': 'Wert',
  'hosts.check': 'Jetzt prüfen',
  'hosts.makeMain': 'Zur Hauptdomain machen',
  'hosts.remove': 'Entfernen',
  'hosts.checkedAt': 'Zuletzt geprüft: {moment}.',
  'hosts.notChecked': 'Noch nicht geprüft.',
  'hosts.givenUp': 'Sie wurde eine Woche lang nicht gefunden und wird nicht mehr gesucht.',
  'hosts.problem.not_found': 'Der Name führt noch nirgendwohin. Änderungen am DNS können eine Stunde dauern.',
  'hosts.problem.not_answering':
    'Der Name führt zu einem anderen Server, oder zwei Shops haben ihn eingetragen. Belegen Sie ihn mit dem TXT-Eintrag.',
  'hosts.problem.unreachable': 'Unter diesem Namen antwortet noch nichts.',
  'hosts.problem.taken': 'Ein anderer Shop auf diesem Server hat diese Domain.',
  'done.hostAdded': 'Die Domain ist hinzugefügt und wird gesucht.',
  'done.hostChecked': 'Die Domain wird gesucht. Laden Sie die Seite in ein paar Sekunden neu.',
  'done.hostMain': 'Die Hauptdomain ist geändert.',
  'done.hostRemoved': 'Die Domain ist entfernt.',
  'state.host.main': 'Hauptdomain',
  'state.host.proved': 'Verbunden',
  'state.host.waiting': 'Wartet',
  'state.site.open': 'Geöffnet',
  'state.site.closed': 'Geschlossen',
}
