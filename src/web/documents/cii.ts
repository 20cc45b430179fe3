// An e-invoice in the syntax of UN/CEFACT CII D16B (EN 16931-3-3), which Factur-X and ZUGFeRD embed in a PDF. Elements are in the order
// of the schema. Pure.

import { type XmlElement, xml, xmlFile } from '../../platform/kit/xml.ts'
import type { Einvoice, EinvoiceLine, EinvoiceParty, TaxCategory } from './einvoice.ts'
import { coreInvoice } from './ubl.ts'

export function renderCii(invoice: Einvoice): string {
  const namespaces = {
    'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
    'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
    'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
    'xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  }
  return xmlFile(
    xml(
      'rsm:CrossIndustryInvoice',
      namespaces,
      xml(
        'rsm:ExchangedDocumentContext',
        xml('ram:GuidelineSpecifiedDocumentContextParameter', ram('ID', coreInvoice)),
      ),
      xml(
        'rsm:ExchangedDocument',
        ram('ID', invoice.number),
        ram('TypeCode', invoice.typeCode),
        xml('ram:IssueDateTime', dateOf('udt', invoice.day)),
        ...notesOf(invoice).map((note) => xml('ram:IncludedNote', ram('Content', note))),
      ),
      xml(
        'rsm:SupplyChainTradeTransaction',
        ...invoice.lines.map(lineOf),
        agreement(invoice),
        delivery(invoice),
        settlement(invoice),
      ),
    ),
  )
}

function ram(name: string, text: string): XmlElement {
  return xml(`ram:${name}`, text)
}

function dateOf(prefix: 'udt' | 'qdt', day: string): XmlElement {
  return xml(`${prefix}:DateTimeString`, { format: '102' }, day.replaceAll('-', ''))
}

function agreement({ seller, buyer, orderNumber }: Einvoice): XmlElement {
  return xml(
    'ram:ApplicableHeaderTradeAgreement',
    xml('ram:SellerTradeParty', ...partyOf(seller)),
    xml('ram:BuyerTradeParty', ...partyOf(buyer)),
    xml('ram:BuyerOrderReferencedDocument', ram('IssuerAssignedID', orderNumber)),
  )
}

function partyOf({ name, contact, streets, email, phone, ...of }: EinvoiceParty) {
  const part = (element: string, text: string | null | undefined) => Boolean(text) && ram(element, text ?? '')
  const taxed = (number: string | null, schemeID: string) =>
    number !== null && xml('ram:SpecifiedTaxRegistration', xml('ram:ID', { schemeID }, number))
  const [street, second, third] = streets
  const hasContact = contact !== null || email !== null || phone !== null
  return [
    part('ID', of.id),
    ram('Name', name),
    of.registration !== null && xml('ram:SpecifiedLegalOrganization', ram('ID', of.registration)),
    hasContact &&
      xml(
        'ram:DefinedTradeContact',
        part('PersonName', contact),
        phone !== null && xml('ram:TelephoneUniversalCommunication', ram('CompleteNumber', phone)),
        email !== null && xml('ram:EmailURIUniversalCommunication', ram('URIID', email)),
      ),
    xml(
      'ram:PostalTradeAddress',
      part('PostcodeCode', of.postalCode),
      part('LineOne', street),
      part('LineTwo', second),
      part('LineThree', third),
      part('CityName', of.city),
      ram('CountryID', of.country),
    ),
    taxed(of.vatId, 'VA'),
    taxed(of.taxNumber, 'FC'),
  ]
}

function delivery({ supplyDay, country, buyer }: Einvoice): XmlElement {
  return xml(
    'ram:ApplicableHeaderTradeDelivery',
    xml('ram:ShipToTradeParty', ram('Name', buyer.name), xml('ram:PostalTradeAddress', ram('CountryID', country))),
    xml('ram:ActualDeliverySupplyChainEvent', xml('ram:OccurrenceDateTime', dateOf('udt', supplyDay))),
  )
}

// The schema allows only one preceding document, so notes name the others.
function notesOf({ notes, preceding }: Einvoice): string[] {
  return [...notes, ...preceding.slice(1).map(({ note }) => note)]
}

function settlement(invoice: Einvoice): XmlElement {
  const { currency, card, taxes, net, tax, total } = invoice
  const [preceding] = invoice.preceding
  return xml(
    'ram:ApplicableHeaderTradeSettlement',
    ram('InvoiceCurrencyCode', currency),
    card &&
      xml(
        'ram:SpecifiedTradeSettlementPaymentMeans',
        ram('TypeCode', '48'),
        xml('ram:ApplicableTradeSettlementFinancialCard', ram('ID', card.last4)),
      ),
    ...taxes.map((sum) =>
      xml(
        'ram:ApplicableTradeTax',
        ram('CalculatedAmount', sum.tax),
        ram('TypeCode', 'VAT'),
        sum.category.exemption && ram('ExemptionReason', sum.category.exemption.text),
        ram('BasisAmount', sum.net),
        ...categoryOf(sum, sum.category.exemption?.code ?? null),
      ),
    ),
    xml(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      ram('LineTotalAmount', net),
      ram('TaxBasisTotalAmount', net),
      xml('ram:TaxTotalAmount', { currencyID: currency }, tax),
      ram('GrandTotalAmount', total),
      // The total was paid or refunded before the document was issued.
      ram('TotalPrepaidAmount', total),
      ram('DuePayableAmount', '0'),
    ),
    preceding &&
      xml(
        'ram:InvoiceReferencedDocument',
        ram('IssuerAssignedID', preceding.number),
        xml('ram:FormattedIssueDateTime', dateOf('qdt', preceding.day)),
      ),
  )
}

function categoryOf({ category, rate }: { category: TaxCategory; rate: string }, exemptionCode: string | null) {
  return [
    ram('CategoryCode', category.code),
    exemptionCode !== null && ram('ExemptionReasonCode', exemptionCode),
    ram('RateApplicablePercent', rate),
  ]
}

// C62 is the code of one unit (UN/ECE recommendation 20).
const unit = { unitCode: 'C62' }

function lineOf(line: EinvoiceLine): XmlElement {
  return xml(
    'ram:IncludedSupplyChainTradeLineItem',
    xml('ram:AssociatedDocumentLineDocument', ram('LineID', line.id)),
    xml(
      'ram:SpecifiedTradeProduct',
      line.sku !== '' && ram('SellerAssignedID', line.sku),
      ram('Name', line.name),
      line.description !== '' && ram('Description', line.description),
    ),
    xml(
      'ram:SpecifiedLineTradeAgreement',
      xml(
        'ram:NetPriceProductTradePrice',
        ram('ChargeAmount', line.price),
        line.baseQuantity > 1 && xml('ram:BasisQuantity', unit, String(line.baseQuantity)),
      ),
    ),
    xml('ram:SpecifiedLineTradeDelivery', xml('ram:BilledQuantity', unit, String(line.quantity))),
    xml(
      'ram:SpecifiedLineTradeSettlement',
      xml('ram:ApplicableTradeTax', ram('TypeCode', 'VAT'), ...categoryOf(line, null)),
      line.allowance !== null &&
        xml(
          'ram:SpecifiedTradeAllowanceCharge',
          xml('ram:ChargeIndicator', xml('udt:Indicator', 'false')),
          ram('ActualAmount', line.allowance),
          ram('ReasonCode', '95'),
        ),
      xml('ram:SpecifiedTradeSettlementLineMonetarySummation', ram('LineTotalAmount', line.net)),
    ),
  )
}
