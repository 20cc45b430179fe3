// Texts about customers, in German.

import type { customersEn } from './customers.en.ts'
import type { Plural } from './plural.ts'

export const customersDe: Readonly<Record<keyof typeof customersEn, string | Plural>> = {
  'place.customers': 'Kunden',
  'customers.title': 'Kunden',
  'customers.find': 'Name, E-Mail oder Bestellnummer',
  'customers.customer': 'Kunde',
  'customers.place': 'Geht nach',
  'customers.orders': 'Bestellungen',
  'customers.spent': 'Umsatz',
  'customers.last': 'Letzte Bestellung',
  'customers.first': 'Erste Bestellung',
  'customers.none': 'Noch keine Kunden',
  'customers.noneText': 'Wer mit einer E-Mail-Adresse bestellt, erscheint hier einen Moment später.',
  'customers.notFound': 'Kein Kunde gefunden',
  'customers.notFoundText':
    'Gefunden werden ganze Wörter: ein Name, eine E-Mail-Adresse, eine Postleitzahl oder die Nummer einer Bestellung.',
  'customers.show': 'Name und Adressen zeigen',
  'customers.who': 'Zur Person',
  'customers.addresses': 'Adressen',
  'customers.erased': 'Nicht mehr gespeichert',
  'customers.allOrders': 'Alle Bestellungen',
  'customers.consents': 'Einwilligungen',
  'customers.consent.digital_content': 'Hat der Bereitstellung digitaler Inhalte zugestimmt',
  'customers.noNotes': 'Noch keine Notizen.',
  'customers.data': 'Daten als Datei',
  'customers.dataHelp': 'Was eine Person verlangen kann: alles, was über sie gespeichert ist, als JSON.',
  'customers.erase': 'Löschen',
  'customers.eraseTitle': 'Diesen Kunden löschen',
  'customers.eraseLead':
    'Name, E-Mail, Telefon, Adressen und Notizen werden gelöscht, und das Konto endet. Was für wie viel gekauft wurde, bleibt, ebenso Rechnungen. Das lässt sich nicht rückgängig machen.',
  'customers.eraseOrders': {
    one: '{count} Bestellung wird anonym.',
    other: '{count} Bestellungen werden anonym.',
  },
  'customers.eraseKept':
    'Diese Bestellungen sind noch zu versenden und behalten ihre Adresse: {numbers}. Löschen Sie den Kunden danach noch einmal.',
  'customers.eraseSubmit': 'Endgültig löschen',
  'customers.erasing': 'Diese Person wird gerade gelöscht.',
  'done.customerErased': 'Der Kunde wird gelöscht.',
  'change.getAdminCustomerDetails': 'hat Name und Adressen angesehen',
  'change.getAdminCustomerData': 'hat die Daten als Datei geholt',
  'change.addAdminCustomerNote': 'hat eine Notiz hinzugefügt',
  'change.eraseAdminCustomer': 'hat den Kunden gelöscht',
  'subject.customer': 'Kunde',
  'subject.customer_note': 'Notiz zu einem Kunden',
}
