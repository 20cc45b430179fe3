// Formats card numbers and expiry dates, and shows the card's brand, which the first digits identify. Nothing is sent.

const brandPatterns: Readonly<Record<string, RegExp>> = {
  visa: /^4/,
  mastercard: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
  amex: /^3[47]/,
  discover: /^(6011|64[4-9]|65)/,
  diners: /^(30[0-5]|3[689])/,
  jcb: /^35(2[89]|[3-8])/,
  unionpay: /^62/,
  maestro: /^(5018|5020|5038|6304|6759|676[1-3])/,
}

function brandOf(digits: string): string | undefined {
  return Object.keys(brandPatterns).find((brand) => brandPatterns[brand]?.test(digits))
}

export function showBrand(field: HTMLInputElement): void {
  const brands = field.closest('.field')?.querySelector('.brands')
  if (!brands) return
  const brand = brandOf(digitsOf(field.value))
  const marks = [...brands.querySelectorAll<HTMLElement>('[data-brand]')]
  const isTaken = marks.some((mark) => mark.dataset.brand === brand)
  for (const mark of marks) mark.hidden = isTaken && mark.dataset.brand !== brand
  brands.toggleAttribute('data-known', isTaken)
}

export function formatCard({ target, inputType }: InputEvent): void {
  // The cast holds: only fields fire these events.
  const field = target as HTMLInputElement
  const { autocomplete, value } = field
  if (autocomplete === 'cc-number') showBrand(field)
  if (field.selectionStart !== value.length) return
  if (autocomplete === 'cc-number' && /^\d[\d ]*$/.test(value)) field.value = grouped(digitsOf(value))
  // A slash is inserted after a month, but not while deleting and not after a year.
  if (autocomplete === 'cc-exp' && inputType === 'insertText' && /^(0[1-9]|1[0-2])$/.test(value)) {
    field.value = `${digitsOf(value)} / `
  }
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

// Groups the digits as they are printed on the card.
function grouped(digits: string): string {
  const groups =
    brandOf(digits) === 'amex' ? /^(.{1,4})(.{1,6})?(.+)?$/.exec(digits)?.slice(1) : digits.match(/.{1,4}/g)
  return groups?.filter(Boolean).join(' ') ?? digits
}
