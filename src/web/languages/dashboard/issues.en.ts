// The rules of the contract as the dashboard shows them beside a field.

import { type IssueCode, issueSentences } from '../../../contract/issues.ts'

// With the values of the contract, or some of them.
export type IssueTexts = Readonly<Record<IssueCode, string>>

// The sentences of the contract have no subject and begin in lower case.
function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

// The cast says that each code has its sentence.
const sentences = Object.fromEntries(
  Object.entries(issueSentences).map(([code, sentence]) => [code, asSentence(sentence)]),
) as IssueTexts

export const issuesEn: IssueTexts = {
  ...sentences,
  required: 'Please fill in this field.',
}
