// An e-invoice in the syntax of UBL 2.1 (EN 16931-3-2). Elements are in the order of the schema. Pure.

import { type XmlChild, type XmlElement, xml, xmlFile } from '../../platform/kit/xml.ts'
import type { Einvoice, EinvoiceLine, EinvoiceParty, TaxCategory } from './einvoice.ts'

export const coreInvoice = 'urn:cen.eu:en16931:2017'

export function renderUbl(invoice: Einvoice): string {
  const isCredit = invoice.typeCode === '381'
  const root = isCredit ? 'CreditNote' : 'Invoice'
  const cbc = (name: string, text: XmlChild) => xml(`cbc:${name}`, text)
  const amount = amountIn(invoice.currency)
  const namespaces = {
    xmlns: `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`,
    'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
    'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
  }
  const { preceding, card } = invoice
  return xmlFile(
    xml(
      root,
      namespaces,
      cbc('CustomizationID', coreInvoice),
      cbc('ID', invoice.number),
      cbc('IssueDate', invoice.day),
      cbc(isCredit ? 'CreditNoteTypeCode' : 'InvoiceTypeCode', invoice.typeCode),
      ...invoice.notes.map((note) => cbc('Note', note)),
      cbc('DocumentCurrencyCode', invoice.currency),
      xml('cac:OrderReference', cbc('ID', invoice.orderNumber)),
      ...preceding.map(({ number, day }) =>
        xml('cac:BillingReference', xml('cac:InvoiceDocumentReference', cbc('ID', number), cbc('IssueDate', day))),
      ),
      xml('cac:AccountingSupplierParty', party(invoice.seller)),
      xml('cac:AccountingCustomerParty', party(invoice.buyer)),
      xml(
        'cac:Delivery',
        cbc('ActualDeliveryDate', invoice.supplyDay),
        xml('cac:DeliveryLocation', xml('cac:Address', xml('cac:Country', cbc('IdentificationCode', invoice.country)))),
      ),
      card &&
        xml(
          'cac:PaymentMeans',
          cbc('PaymentMeansCode', '48'),
          xml('cac:CardAccount', cbc('PrimaryAccountNumberID', card.last4), cbc('NetworkID', card.brand)),
        ),
      ...sumsOf(invoice, amount),
      ...invoice.lines.map((line) => lineOf(line, isCredit, amount)),
    ),
  )
}

function sumsOf(invoice: Einvoice, amount: AmountOf): XmlElement[] {
  return [
    xml(
      'cac:TaxTotal',
      amount('TaxAmount', invoice.tax),
      ...invoice.taxes.map((sum) =>
        xml(
          'cac:TaxSubtotal',
          amount('TaxableAmount', sum.net),
          amount('TaxAmount', sum.tax),
          taxCategory('cac:TaxCategory', sum, true),
        ),
      ),
    ),
    xml(
      'cac:LegalMonetaryTotal',
      amount('LineExtensionAmount', invoice.net),
      amount('TaxExclusiveAmount', invoice.net),
      amount('TaxInclusiveAmount', invoice.total),
      // The total was paid or refunded before the document was issued.
      amount('PrepaidAmount', invoice.total),
      amount('PayableAmount', '0'),
    ),
  ]
}

type AmountOf = (name: string, text: string) => XmlElement

function amountIn(currencyID: string): AmountOf {
  return (name, text) => xml(`cbc:${name}`, { currencyID }, text)
}

function party({ name, contact, streets, email, phone, ...of }: EinvoiceParty): XmlElement {
  const [street, second, third] = streets
  const part = (element: string, text: string | null | undefined) => Boolean(text) && xml(`cbc:${element}`, text)
  const taxed = (number: string | null, scheme: string) =>
    number !== null &&
    xml('cac:PartyTaxScheme', xml('cbc:CompanyID', number), xml('cac:TaxScheme', xml('cbc:ID', scheme)))
  const hasContact = contact !== null || email !== null || phone !== null
  return xml(
    'cac:Party',
    of.id !== null && xml('cac:PartyIdentification', xml('cbc:ID', of.id)),
    xml(
      'cac:PostalAddress',
      part('StreetName', street),
      part('AdditionalStreetName', second),
      part('CityName', of.city),
      part('PostalZone', of.postalCode),
      third !== undefined && xml('cac:AddressLine', xml('cbc:Line', third)),
      xml('cac:Country', xml('cbc:IdentificationCode', of.country)),
    ),
    taxed(of.vatId, 'VAT'),
    taxed(of.taxNumber, 'FC'),
    xml('cac:PartyLegalEntity', xml('cbc:RegistrationName', name), part('CompanyID', of.registration)),
    hasContact && xml('cac:Contact', part('Name', contact), part('Telephone', phone), part('ElectronicMail', email)),
  )
}

function taxCategory(
  name: string,
  { category, rate }: { category: TaxCategory; rate: string },
  hasReason: boolean,
): XmlElement {
  const { code, exemption } = category
  return xml(
    name,
    xml('cbc:ID', code),
    xml('cbc:Percent', rate),
    hasReason && exemption?.code != null && xml('cbc:TaxExemptionReasonCode', exemption.code),
    hasReason && exemption && xml('cbc:TaxExemptionReason', exemption.text),
    xml('cac:TaxScheme', xml('cbc:ID', 'VAT')),
  )
}

// C62 is the code of one unit (UN/ECE recommendation 20).
const unitCode = 'C62'

function lineOf(line: EinvoiceLine, isCredit: boolean, amount: AmountOf): XmlElement {
  const quantity = String(line.quantity)
  return xml(
    isCredit ? 'cac:CreditNoteLine' : 'cac:InvoiceLine',
    xml('cbc:ID', line.id),
    xml(isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity', { unitCode }, quantity),
    amount('LineExtensionAmount', line.net),
    line.allowance !== null &&
      xml(
        'cac:AllowanceCharge',
        xml('cbc:ChargeIndicator', 'false'),
        xml('cbc:AllowanceChargeReasonCode', '95'),
        amount('Amount', line.allowance),
      ),
    xml(
      'cac:Item',
      line.description !== '' && xml('cbc:Description', line.description),
      xml('cbc:Name', line.name),
      line.sku !== '' && xml('cac:SellersItemIdentification', xml('cbc:ID', line.sku)),
      taxCategory('cac:ClassifiedTaxCategory', line, false),
    ),
    xml(
      'cac:Price',
      amount('PriceAmount', line.price),
      line.baseQuantity > 1 && xml('cbc:BaseQuantity', { unitCode }, String(line.baseQuantity)),
    ),
  )
}
