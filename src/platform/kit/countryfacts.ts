// Facts about countries: the currency and the time zone that are proposed for a new shop, and the member states of the EU. Pure.

// Countries by currency (ISO 4217), as of 2026-01-01, when Bulgaria adopted the euro. For countries that are not listed, the US dollar is
// proposed.
// biome-ignore format: a table is read by its rows
const currencies: Readonly<Record<string, string>> = {
  EUR: 'AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA XK YT',
  GBP: 'GB GG IM JE', CHF: 'CH LI', DKK: 'DK FO GL', SEK: 'SE', NOK: 'NO BV SJ', ISK: 'IS', PLN: 'PL', CZK: 'CZ', HUF: 'HU',
  RON: 'RO', RSD: 'RS', ALL: 'AL', BAM: 'BA', MKD: 'MK', MDL: 'MD', UAH: 'UA', TRY: 'TR', GEL: 'GE', AMD: 'AM', AZN: 'AZ',
  KZT: 'KZ', UZS: 'UZ', RUB: 'RU', BYN: 'BY', ILS: 'IL PS', AED: 'AE', SAR: 'SA', QAR: 'QA', KWD: 'KW', BHD: 'BH', OMR: 'OM',
  JOD: 'JO', LBP: 'LB', EGP: 'EG', MAD: 'MA EH', TND: 'TN', DZD: 'DZ', ZAR: 'ZA', NAD: 'NA', BWP: 'BW', NGN: 'NG', GHS: 'GH',
  KES: 'KE', TZS: 'TZ', UGX: 'UG', RWF: 'RW', ETB: 'ET', MUR: 'MU', MGA: 'MG', ZMW: 'ZM', AOA: 'AO', MZN: 'MZ',
  XOF: 'BF BJ CI GW ML NE SN TG', XAF: 'CF CG CM GA GQ TD', CAD: 'CA', MXN: 'MX', BRL: 'BR', ARS: 'AR', CLP: 'CL', COP: 'CO',
  PEN: 'PE', UYU: 'UY', PYG: 'PY', BOB: 'BO', CRC: 'CR', GTQ: 'GT', HNL: 'HN', NIO: 'NI', DOP: 'DO', JMD: 'JM', TTD: 'TT',
  BBD: 'BB', BSD: 'BS', BZD: 'BZ', XCD: 'AG AI DM GD KN LC MS VC', AUD: 'AU CC CX HM KI NF NR TV', NZD: 'NZ CK NU PN TK',
  FJD: 'FJ', XPF: 'NC PF WF', JPY: 'JP', KRW: 'KR', CNY: 'CN', HKD: 'HK', TWD: 'TW', MOP: 'MO', SGD: 'SG', MYR: 'MY', THB: 'TH',
  IDR: 'ID', PHP: 'PH', VND: 'VN', INR: 'IN BT', PKR: 'PK', BDT: 'BD', LKR: 'LK', NPR: 'NP', MVR: 'MV', KHR: 'KH', LAK: 'LA',
  MNT: 'MN',
}

const currencyByCountry = new Map(
  Object.entries(currencies).flatMap(([currency, countries]) => countries.split(' ').map((one) => [one, currency])),
)

export function currencyOfCountry(country: string): string {
  return currencyByCountry.get(country) ?? 'USD'
}

export const proposedCurrencies: readonly string[] = ['USD', ...Object.keys(currencies)].toSorted()

// Member states of the EU, in which goods move freely under common tax rules.
export const euCountries: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')

// Returns the time zone in which most people of the country live, if it is known, otherwise a time zone of the country, or UTC.
export function timeZoneOfCountry(country: string): string {
  // The method is not yet in TypeScript's library types.
  const locale = new Intl.Locale('und', { region: country }) as Intl.Locale & { getTimeZones?(): string[] | undefined }
  return mainZones[country] ?? locale.getTimeZones?.()?.[0] ?? 'UTC'
}

// The time zone in which most people live, for some countries with several. `getTimeZones` lists time zones alphabetically.
const mainZones: Readonly<Record<string, string>> = {
  AR: 'America/Argentina/Buenos_Aires',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  DE: 'Europe/Berlin',
  ES: 'Europe/Madrid',
  ID: 'Asia/Jakarta',
  MX: 'America/Mexico_City',
  NZ: 'Pacific/Auckland',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  US: 'America/New_York',
}
