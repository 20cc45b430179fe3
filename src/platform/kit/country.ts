// Countries by ISO 3166-1 alpha-2: the 249 codes officially assigned.

// biome-ignore format: a table is read by its rows
const codes =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC ' +
  'CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD ' +
  'GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH ' +
  'KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW ' +
  'MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC ' +
  'SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY ' +
  'UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'

export const countryCodes: readonly string[] = codes.split(' ')

const known: ReadonlySet<string> = new Set(countryCodes)

export function isCountry(code: string): boolean {
  return known.has(code)
}

// The member states of the European Union, and Monaco, which belongs to France for value added tax (Directive 2006/112, Art. 7).
const vatArea: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK'.split(' '),
)

export function isInVatArea(code: string): boolean {
  return vatArea.has(code)
}

// Countries in which shipping is a part of the supply of goods and has the tax rate of the goods: the EU (Directive 2006/112, Art. 78),
// and countries whose own law has the same rule (GB and IM: VAT Notice 700/24; CH and LI: MWSTG Art. 19 (4); NO: merverdiavgiftsloven
// § 4-2).
const shippingFollowsGoods: ReadonlySet<string> = new Set([...vatArea, 'CH', 'GB', 'IM', 'LI', 'NO'])

export function isShippingTaxedAsGoods(code: string): boolean {
  return shippingFollowsGoods.has(code)
}

// Returns the member state to which a country in the area belongs for value added tax.
export function vatStateOf(code: string): string {
  return code === 'MC' ? 'FR' : code
}
