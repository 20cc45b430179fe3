// A spreadsheet takes a cell that begins with one of these for a formula (OWASP, CSV injection), some in their full width too. What
// others wrote, such as a name, must not run on the computer of the merchant. Pure.

export function isFormula(cell: string): boolean {
  return /^'*[=+\-@\t\r\n＝＋－＠]/.test(cell)
}
