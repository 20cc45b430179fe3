// Texts about customers, in English. They define the keys of all languages.

import type { Plural } from './plural.ts'

export const customersEn = {
  'place.customers': 'Customers',
  'customers.title': 'Customers',
  'customers.find': 'Name, e-mail or order number',
  'customers.customer': 'Customer',
  'customers.place': 'Sent to',
  'customers.orders': 'Orders',
  'customers.spent': 'Spent',
  'customers.last': 'Last order',
  'customers.first': 'First order',
  'customers.none': 'No customers yet',
  'customers.noneText': 'Who orders with an e-mail address appears here a moment later.',
  'customers.notFound': 'No customer found',
  'customers.notFoundText':
    'Whole words are found: a name, an e-mail address, a postal code or the number of an order.',
  'customers.show': 'Show name and addresses',
  'customers.who': 'Who it is',
  'customers.addresses': 'Addresses',
  'customers.erased': 'No longer stored',
  'customers.allOrders': 'All orders',
  'customers.consents': 'Consents',
  'customers.consent.digital_content': 'Agreed to the supply of digital content',
  'customers.noNotes': 'No notes yet.',
  'customers.data': 'Data as a file',
  'customers.dataHelp': 'What a person may ask for: everything that is stored about them, as JSON.',
  'customers.erase': 'Erase',
  'customers.eraseTitle': 'Erase this customer',
  'customers.eraseLead':
    'Name, e-mail, phone, addresses and notes are erased, and their account ends. What was bought for how much stays, as do invoices. This cannot be undone.',
  'customers.eraseOrders': {
    one: '{count} order is made anonymous.',
    other: '{count} orders are made anonymous.',
  } as Plural,
  'customers.eraseKept':
    'These orders are still to be sent and keep their address: {numbers}. Erase the customer again when they are sent.',
  'customers.eraseSubmit': 'Erase for good',
  'customers.erasing': 'This person is being erased.',
  'done.customerErased': 'The customer is being erased.',
  'change.getAdminCustomerDetails': 'looked at name and addresses',
  'change.getAdminCustomerData': 'took the data as a file',
  'change.addAdminCustomerNote': 'added a note',
  'change.eraseAdminCustomer': 'erased the customer',
  'subject.customer': 'customer',
  'subject.customer_note': 'note about a customer',
} as const
