// Texts of the elements, in the language of the page.

type Word =
  | 'add'
  | 'added'
  | 'soldOut'
  | 'cart'
  | 'empty'
  | 'quantity'
  | 'remove'
  | 'total'
  | 'checkout'
  | 'close'
  | 'failed'

// Names of the texts, in the order of each language below.
const names = 'add added soldOut cart empty quantity remove total checkout close failed'.split(' ')

const languages: Readonly<Record<string, string>> = {
  en: 'Add to cart|Added|Sold out|Cart|It is empty.|Quantity|Remove|Total|Check out|Close|That did not work. Please try again.',
  de: 'In den Warenkorb|Hinzugefügt|Ausverkauft|Warenkorb|Er ist leer.|Menge|Entfernen|Summe|Zur Kasse|Schließen|Das hat nicht geklappt.',
  fr: 'Ajouter au panier|Ajouté|Épuisé|Panier|Il est vide.|Quantité|Retirer|Total|Commander|Fermer|Cela n’a pas fonctionné.',
  es: 'Añadir al carrito|Añadido|Agotado|Carrito|Está vacío.|Cantidad|Quitar|Total|Pagar|Cerrar|No ha funcionado.',
  nl: 'In winkelwagen|Toegevoegd|Uitverkocht|Winkelwagen|Hij is leeg.|Aantal|Verwijderen|Totaal|Afrekenen|Sluiten|Dat is niet gelukt.',
}

const locale = document.documentElement.lang || navigator.language || 'en'
const texts = (languages[locale.slice(0, 2).toLowerCase()] ?? languages.en ?? '').split('|')

// The cast holds: each name has a text.
export const words = Object.fromEntries(names.map((name, at) => [name, texts[at] ?? ''])) as Record<Word, string>

// Decimal digits of the currencies in use by ISO 4217, as on the server. Intl differs for some currencies.
const digits: readonly [codes: string, count: number][] = [
  ['BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF', 0],
  ['BHD IQD JOD KWD LYD OMR TND', 3],
]

export function amountText(amount: number, currency: string): string {
  const count = digits.find(([codes]) => codes.includes(currency))?.[1] ?? 2
  const bounds = { minimumFractionDigits: count, maximumFractionDigits: count }
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...bounds }).format(amount / 10 ** count)
}
