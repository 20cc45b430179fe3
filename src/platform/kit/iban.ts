// Checks bank account numbers by ISO 13616. Pure.

// Returns false if the text looks like an IBAN but has a mistake. Other kinds of account numbers are accepted.
export function isPossibleIban(text: string): boolean {
  const code = text.replace(/\s+/g, '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}/.test(code)) return true
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(code)) return false
  const digits = (code.slice(4) + code.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return BigInt(digits) % 97n === 1n
}
