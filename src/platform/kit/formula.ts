// Spreadsheets treat a cell that begins with one of these characters as a formula (OWASP, CSV injection); some also accept the full-width
// forms. Text that others wrote, such as a name, must not run on the merchant's computer. Pure.

export function isFormula(cell: string): boolean {
  return /^'*[=+\-@\t\r\n＝＋－＠]/.test(cell)
}
