// Spreadsheets read a cell that begins with one of these characters as a formula (OWASP, CSV injection); some also do for the full-width
// forms. Foreign text, such as a name, must not run on the merchant's computer. Pure.

export function isFormula(cell: string): boolean {
  return /^'*[=+\-@\t\r\n＝＋－＠]/.test(cell)
}
