// States, provinces and similar regions, for the countries whose addresses contain a region and whose list of regions is settled. A
// region is stored as its ISO 3166-2 code without the country, whatever spelling was sent.

export interface Region {
  readonly code: string
  readonly name: string
}

// Each entry is the code, the name, and after | other names and codes. Letter case, accents, spaces and punctuation are ignored when a
// region is looked up.
const lists: Readonly<Record<string, string>> = {
  AE: `AZ Abu Dhabi|Abu Zaby|أبو ظبي|أبوظبي; AJ Ajman|عجمان; DU Dubai|Dubayy|دبي; FU Fujairah|Al Fujayrah|الفجيرة;
    RK Ras Al Khaimah|RAK|رأس الخيمة; SH Sharjah|Ash Shariqah|الشارقة; UQ Umm Al Quwain|UAQ|أم القيوين`,

  AR: `C Ciudad Autónoma de Buenos Aires|CABA|Ciudad de Buenos Aires|Capital Federal; B Buenos Aires|Provincia de Buenos Aires;
    K Catamarca; H Chaco; U Chubut; X Córdoba; W Corrientes; E Entre Ríos; P Formosa; Y Jujuy; L La Pampa; F La Rioja;
    M Mendoza; N Misiones; Q Neuquén; R Río Negro; A Salta; J San Juan; D San Luis; Z Santa Cruz; S Santa Fe;
    G Santiago del Estero; V Tierra del Fuego; T Tucumán`,

  AU: `ACT Australian Capital Territory; NSW New South Wales; NT Northern Territory; QLD Queensland; SA South Australia;
    TAS Tasmania; VIC Victoria; WA Western Australia`,

  BR: `AC Acre; AL Alagoas; AP Amapá; AM Amazonas; BA Bahia; CE Ceará; DF Distrito Federal; ES Espírito Santo; GO Goiás;
    MA Maranhão; MT Mato Grosso; MS Mato Grosso do Sul; MG Minas Gerais; PA Pará; PB Paraíba; PR Paraná; PE Pernambuco;
    PI Piauí; RJ Rio de Janeiro; RN Rio Grande do Norte; RS Rio Grande do Sul; RO Rondônia; RR Roraima;
    SC Santa Catarina; SP São Paulo; SE Sergipe; TO Tocantins`,

  CA: `AB Alberta; BC British Columbia|Colombie-Britannique; MB Manitoba; NB New Brunswick|Nouveau-Brunswick;
    NL Newfoundland and Labrador|Newfoundland|Terre-Neuve-et-Labrador; NS Nova Scotia|Nouvelle-Écosse;
    NT Northwest Territories|Territoires du Nord-Ouest; NU Nunavut; ON Ontario;
    PE Prince Edward Island|PEI|Île-du-Prince-Édouard; QC Quebec|Québec; SK Saskatchewan; YT Yukon|Yukon Territory`,

  // Without Hong Kong, Macao and Taiwan, which have their own country codes and address formats.
  CN: `AH Anhui|安徽; BJ Beijing|北京; CQ Chongqing|重庆; FJ Fujian|福建; GS Gansu|甘肃; GD Guangdong|广东;
    GX Guangxi|广西; GZ Guizhou|贵州; HI Hainan|海南; HE Hebei|河北; HL Heilongjiang|黑龙江; HA Henan|河南; HB Hubei|湖北;
    HN Hunan|湖南; NM Inner Mongolia|Nei Mongol|内蒙古; JS Jiangsu|江苏; JX Jiangxi|江西; JL Jilin|吉林; LN Liaoning|辽宁;
    NX Ningxia|宁夏; QH Qinghai|青海; SN Shaanxi|陕西; SD Shandong|山东; SH Shanghai|上海; SX Shanxi|山西;
    SC Sichuan|四川; TJ Tianjin|天津; XZ Tibet|Xizang|西藏; XJ Xinjiang|新疆; YN Yunnan|云南; ZJ Zhejiang|浙江`,

  ES: `C A Coruña|La Coruña; VI Álava|Araba|Araba/Álava; AB Albacete; A Alicante|Alacant; AL Almería; O Asturias; AV Ávila;
    BA Badajoz; PM Baleares|Illes Balears|Islas Baleares; B Barcelona; BI Bizkaia|Vizcaya; BU Burgos; CC Cáceres; CA Cádiz;
    S Cantabria; CS Castellón|Castelló; CE Ceuta; CR Ciudad Real; CO Córdoba; CU Cuenca; SS Gipuzkoa|Guipúzcoa;
    GI Girona|Gerona; GR Granada; GU Guadalajara; H Huelva; HU Huesca; J Jaén; LO La Rioja; GC Las Palmas; LE León;
    L Lleida|Lérida; LU Lugo; M Madrid; MA Málaga; ML Melilla; MU Murcia; NA Navarra|Nafarroa; OR Ourense|Orense;
    P Palencia; PO Pontevedra; SA Salamanca; TF Santa Cruz de Tenerife|Tenerife; SG Segovia; SE Sevilla|Seville; SO Soria;
    T Tarragona; TE Teruel; TO Toledo; V Valencia|València; VA Valladolid; ZA Zamora; Z Zaragoza|Saragossa`,

  IN: `AN Andaman and Nicobar Islands; AP Andhra Pradesh; AR Arunachal Pradesh; AS Assam; BR Bihar; CH Chandigarh;
    CG Chhattisgarh|CT; DH Dadra and Nagar Haveli and Daman and Diu|DN|DD|Dadra and Nagar Haveli|Daman and Diu;
    DL Delhi|New Delhi; GA Goa; GJ Gujarat; HR Haryana; HP Himachal Pradesh; JK Jammu and Kashmir|Jammu & Kashmir;
    JH Jharkhand; KA Karnataka; KL Kerala; LA Ladakh; LD Lakshadweep; MP Madhya Pradesh; MH Maharashtra; MN Manipur;
    ML Meghalaya; MZ Mizoram; NL Nagaland; OD Odisha|OR|Orissa; PY Puducherry|Pondicherry; PB Punjab; RJ Rajasthan;
    SK Sikkim; TN Tamil Nadu; TS Telangana|TG; TR Tripura; UP Uttar Pradesh; UK Uttarakhand|UT|Uttaranchal;
    WB West Bengal`,

  // CI, OG, OT and VS are provinces of Sardinia that one reform abolished and the next restored; addresses still use them.
  IT: `AG Agrigento; AL Alessandria; AN Ancona; AO Aosta|Valle d'Aosta; AR Arezzo; AP Ascoli Piceno; AT Asti; AV Avellino;
    BA Bari; BT Barletta-Andria-Trani; BL Belluno; BN Benevento; BG Bergamo; BI Biella; BO Bologna; BZ Bolzano|Bozen;
    BS Brescia; BR Brindisi; CA Cagliari; CL Caltanissetta; CB Campobasso; CI Carbonia-Iglesias|Sulcis Iglesiente;
    CE Caserta; CT Catania; CZ Catanzaro; CH Chieti; CO Como; CS Cosenza; CR Cremona; KR Crotone; CN Cuneo; EN Enna;
    FM Fermo; FE Ferrara; FI Firenze|Florence; FG Foggia; FC Forlì-Cesena; FR Frosinone; GE Genova|Genoa; GO Gorizia;
    GR Grosseto; IM Imperia; IS Isernia; AQ L'Aquila; SP La Spezia; LT Latina; LE Lecce; LC Lecco; LI Livorno; LO Lodi;
    LU Lucca; MC Macerata; MN Mantova|Mantua; MS Massa-Carrara; MT Matera; VS Medio Campidano; ME Messina;
    MI Milano|Milan; MO Modena; MB Monza e Brianza|Monza e della Brianza; NA Napoli|Naples; NO Novara; NU Nuoro;
    OG Ogliastra; OT Olbia-Tempio|Gallura; OR Oristano; PD Padova|Padua; PA Palermo; PR Parma; PV Pavia; PG Perugia;
    PU Pesaro e Urbino; PE Pescara; PC Piacenza; PI Pisa; PT Pistoia; PN Pordenone; PZ Potenza; PO Prato; RG Ragusa;
    RA Ravenna; RC Reggio Calabria|Reggio di Calabria; RE Reggio Emilia|Reggio nell'Emilia; RI Rieti; RN Rimini;
    RM Roma|Rome; RO Rovigo; SA Salerno; SS Sassari; SV Savona; SI Siena; SR Siracusa; SO Sondrio; SU Sud Sardegna;
    TA Taranto; TE Teramo; TR Terni; TO Torino|Turin; TP Trapani; TN Trento; TV Treviso; TS Trieste; UD Udine; VA Varese;
    VE Venezia|Venice; VB Verbano-Cusio-Ossola; VC Vercelli; VR Verona; VV Vibo Valentia; VI Vicenza; VT Viterbo`,

  JP: `01 Hokkaido|北海道; 02 Aomori|青森; 03 Iwate|岩手; 04 Miyagi|宮城; 05 Akita|秋田; 06 Yamagata|山形; 07 Fukushima|福島;
    08 Ibaraki|茨城; 09 Tochigi|栃木; 10 Gunma|群馬; 11 Saitama|埼玉; 12 Chiba|千葉; 13 Tokyo|東京; 14 Kanagawa|神奈川;
    15 Niigata|新潟; 16 Toyama|富山; 17 Ishikawa|石川; 18 Fukui|福井; 19 Yamanashi|山梨; 20 Nagano|長野; 21 Gifu|岐阜;
    22 Shizuoka|静岡; 23 Aichi|愛知; 24 Mie|三重; 25 Shiga|滋賀; 26 Kyoto|京都; 27 Osaka|大阪; 28 Hyogo|兵庫; 29 Nara|奈良;
    30 Wakayama|和歌山; 31 Tottori|鳥取; 32 Shimane|島根; 33 Okayama|岡山; 34 Hiroshima|広島; 35 Yamaguchi|山口;
    36 Tokushima|徳島; 37 Kagawa|香川; 38 Ehime|愛媛; 39 Kochi|高知; 40 Fukuoka|福岡; 41 Saga|佐賀; 42 Nagasaki|長崎;
    43 Kumamoto|熊本; 44 Oita|大分; 45 Miyazaki|宮崎; 46 Kagoshima|鹿児島; 47 Okinawa|沖縄`,

  KR: `11 Seoul|서울; 26 Busan|부산; 27 Daegu|대구; 28 Incheon|인천; 29 Gwangju|광주; 30 Daejeon|대전; 31 Ulsan|울산;
    50 Sejong|세종; 41 Gyeonggi|경기; 42 Gangwon|강원; 43 North Chungcheong|Chungcheongbuk|Chungbuk|충청북|충북;
    44 South Chungcheong|Chungcheongnam|Chungnam|충청남|충남; 45 North Jeolla|Jeollabuk|Jeonbuk|전라북|전북;
    46 South Jeolla|Jeollanam|Jeonnam|전라남|전남; 47 North Gyeongsang|Gyeongsangbuk|Gyeongbuk|경상북|경북;
    48 South Gyeongsang|Gyeongsangnam|Gyeongnam|경상남|경남; 49 Jeju|제주`,

  MX: `AGU Aguascalientes|AGS; BCN Baja California|BC; BCS Baja California Sur; CAM Campeche|CAMP; CHP Chiapas|CHIS;
    CHH Chihuahua|CHIH; CMX Ciudad de México|CDMX|DIF|DF|Distrito Federal|Mexico City; COA Coahuila|COAH|Coahuila de Zaragoza;
    COL Colima; DUR Durango|DGO; MEX Estado de México|México|State of Mexico|EDOMEX; GUA Guanajuato|GTO; GRO Guerrero;
    HID Hidalgo|HGO; JAL Jalisco; MIC Michoacán|MICH|Michoacán de Ocampo; MOR Morelos; NAY Nayarit; NLE Nuevo León|NL;
    OAX Oaxaca; PUE Puebla; QUE Querétaro|QRO; ROO Quintana Roo|QROO; SLP San Luis Potosí; SIN Sinaloa; SON Sonora;
    TAB Tabasco; TAM Tamaulipas|TAMPS; TLA Tlaxcala|TLAX; VER Veracruz|Veracruz de Ignacio de la Llave; YUC Yucatán;
    ZAC Zacatecas`,

  MY: `01 Johor|JHR; 02 Kedah|KDH; 03 Kelantan|KTN; 14 Kuala Lumpur|KUL|Wilayah Persekutuan Kuala Lumpur;
    15 Labuan|LBN|Wilayah Persekutuan Labuan; 04 Melaka|MLK|Malacca; 05 Negeri Sembilan|NSN; 06 Pahang|PHG;
    07 Pulau Pinang|PNG|Penang; 08 Perak|PRK; 09 Perlis|PLS; 16 Putrajaya|PJY|Wilayah Persekutuan Putrajaya;
    12 Sabah|SBH; 13 Sarawak|SWK; 10 Selangor|SGR; 11 Terengganu|TRG`,

  // With the territories and the armed forces, to which the postal service delivers as it does to states.
  US: `AL Alabama; AK Alaska; AZ Arizona; AR Arkansas; CA California; CO Colorado; CT Connecticut; DE Delaware;
    DC District of Columbia|Washington DC; FL Florida; GA Georgia; HI Hawaii; ID Idaho; IL Illinois; IN Indiana; IA Iowa;
    KS Kansas; KY Kentucky; LA Louisiana; ME Maine; MD Maryland; MA Massachusetts; MI Michigan; MN Minnesota;
    MS Mississippi; MO Missouri; MT Montana; NE Nebraska; NV Nevada; NH New Hampshire; NJ New Jersey; NM New Mexico;
    NY New York; NC North Carolina; ND North Dakota; OH Ohio; OK Oklahoma; OR Oregon; PA Pennsylvania; RI Rhode Island;
    SC South Carolina; SD South Dakota; TN Tennessee; TX Texas; UT Utah; VT Vermont; VA Virginia; WA Washington;
    WV West Virginia; WI Wisconsin; WY Wyoming; AS American Samoa; GU Guam; MP Northern Mariana Islands; PR Puerto Rico;
    VI Virgin Islands|US Virgin Islands; AA Armed Forces Americas; AE Armed Forces Europe; AP Armed Forces Pacific`,
}

// Suffixes of region names: 東京都, Kyoto-fu, Gyeonggi-do, 广西壮族自治区. They are removed only if the whole text is not a known name: "Kyoto"
// itself ends in "to".
const endings: Readonly<Record<string, readonly string[]>> = {
  CN: 'province municipality autonomousregion sheng shi 省 市 壮族自治区 回族自治区 维吾尔自治区 自治区'
    .split(' ')
    .map(fold),
  JP: 'prefecture ken fu to 県 府 都'.split(' ').map(fold),
  KR: 'province do si 특별자치도 특별자치시 특별시 광역시 도 시'.split(' ').map(fold),
}

const regions: ReadonlyMap<string, readonly Region[]> = new Map(
  Object.entries(lists).map(([country, list]) => [country, entriesOf(list).map(({ code, name }) => ({ code, name }))]),
)

// Region codes by name, per country. Filled when a country is used for the first time.
const codes = new Map<string, ReadonlyMap<string, string>>()

// The regions, sorted by name. Undefined if the region is free text or addresses of the country have none.
export function regionsFor(country: string): readonly Region[] | undefined {
  return regions.get(country)
}

// Returns the code of a region by its code or any of its names, if the country has a list.
export function findRegionCode(country: string, text: string): string | undefined {
  // The country comes from the caller, so it may be `constructor`, which every object inherits.
  if (!Object.hasOwn(lists, country)) return undefined
  const known = codes.get(country) ?? codesOf(lists[country] ?? '')
  codes.set(country, known)
  const key = fold(text)
  const found = known.get(key)
  if (found !== undefined) return found
  const shorter = endings[country]?.filter((end) => key.endsWith(end)).map((end) => key.slice(0, -end.length)) ?? []
  return shorter.map((name) => known.get(name)).find((code) => code !== undefined)
}

// The name of the region in the script of its country: 東京都, 서울. Undefined if the list has no such name.
export function findLocalRegionName(country: string, code: string): string | undefined {
  const entry = entriesOf(lists[country] ?? '').find((one) => one.code === code)
  const name = entry?.others.find((other) => /\p{Script=Han}|\p{Script=Hangul}/u.test(other))
  if (name === undefined || country !== 'JP' || name.endsWith('道')) return name
  return name + (japaneseEndings[name] ?? '県')
}

const japaneseEndings: Readonly<Record<string, string>> = { 東京: '都', 京都: '府', 大阪: '府' }

function entriesOf(list: string): (Region & { readonly others: readonly string[] })[] {
  return list.split(';').map((entry) => {
    const [, code = '', names = ''] = /^\s*(\S+)\s(.*)$/s.exec(entry) ?? []
    const [name = '', ...others] = names.split('|')
    return { code, name, others }
  })
}

// Throws if two regions share a name, because a lookup by that name would be arbitrary. The tests check each country.
function codesOf(list: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { code, name, others } of entriesOf(list)) {
    for (const key of [code, name, ...others].map(fold)) {
      const other = found.get(key)
      if (other !== undefined && other !== code) throw new Error(`the regions ${other} and ${code} share a name`)
      found.set(key, code)
    }
  }
  return found
}

// Reduces a text to its letters and digits, without case and accents.
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
}
