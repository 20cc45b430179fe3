// Writes a number with its unit as one word: `500 ml`, `500ml` and `500 Milliliter` become the same word. Pure.

// Other spellings of each unit, by its symbol, without case and accents.
const units: Readonly<Record<string, readonly string[]>> = {
  ml: ['milliliter', 'milliliters', 'millilitre', 'millilitres', 'мл'],
  cl: ['centiliter', 'centilitre', 'centilitres', 'zentiliter'],
  l: ['lt', 'ltr', 'liter', 'liters', 'litre', 'litres', 'litro', 'litros', 'litri', 'л'],
  mg: ['milligram', 'milligrams', 'milligramm', 'мг'],
  g: ['gr', 'gram', 'grams', 'gramm', 'gramme', 'grammes', 'gramos', 'grammi', 'г'],
  kg: ['kilo', 'kilos', 'kilogram', 'kilograms', 'kilogramm', 'kilogramme', 'кг'],
  oz: ['ounce', 'ounces', 'unze', 'unzen'],
  lb: ['lbs'],
  mm: ['millimeter', 'millimeters', 'millimetre', 'millimetres', 'мм'],
  cm: ['centimeter', 'centimeters', 'centimetre', 'centimetres', 'zentimeter', 'см'],
  m: ['meter', 'meters', 'metre', 'metres', 'metro', 'metros', 'м'],
  in: ['inch', 'inches', 'zoll'],
  ft: ['feet', 'foot'],
  w: ['watt', 'watts', 'вт'],
  v: ['volt', 'volts'],
  mah: [],
  mb: ['megabyte'],
  gb: ['gigabyte', 'gigabytes', 'гб'],
  tb: ['terabyte', 'terabytes', 'тб'],
}

const signOf = new Map(
  Object.entries(units).flatMap(([sign, others]) => [sign, ...others].map((name) => [name, sign] as const)),
)
const longestFirst = [...signOf.keys()].sort((one, other) => other.length - one.length)
const measure = new RegExp(`\\b(\\d{1,6}(?:[.,]\\d{1,3})?)\\s?-?(${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
const hasDigit = /\d/

// Expects a folded text.
export function findMeasures(folded: string): string[] {
  if (!hasDigit.test(folded)) return []
  return Array.from(folded.matchAll(measure), ([, number = '', unit = '']) => wordOf(number, unit))
}

export function withMeasuresAsWords(folded: string): string {
  if (!hasDigit.test(folded)) return folded
  return folded.replace(measure, (_, number: string, unit: string) => ` ${wordOf(number, unit)} `)
}

// A word cannot contain a decimal point, so 0.5 l is `0p5l`.
function wordOf(number: string, unit: string): string {
  return `${plainNumber(number).replace('.', 'p')}${signOf.get(unit)}`
}

// Three digits after the separator are thousands, unless the number begins with a zero or has more than three digits before the separator:
// 1.500 g, but 0.125 l.
function plainNumber(number: string): string {
  const isThousands = /^[1-9]\d{0,2}[.,]\d{3}$/.test(number)
  return String(Number(isThousands ? number.replace(/[.,]/, '') : number.replace(',', '.')))
}

export function shownMeasure(word: string): string {
  return word.replace(/^(\d+)p(\d+)(?=\p{L}+$)/u, '$1.$2')
}
