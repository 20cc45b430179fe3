// Words that a merchant has defined as synonyms. Pure.

import { queryWordSequences } from '../search/words.ts'

// Maximum number of synonyms of one word in a search: each synonym is looked up, and searched for in each product that is ranked.
const alternativesMax = 20
// Maximum number of words of a phrase: as many as a search may have.
const phraseWordsMax = 12

// By the first word of a phrase: the phrase, with the other phrases of its group.
export type Synonyms = ReadonlyMap<string, readonly Synonym[]>

interface Synonym {
  phrase: readonly string[]
  others: readonly (readonly string[])[]
}

export function indexSynonyms(groups: readonly (readonly string[])[]): Synonyms {
  const all = groups.flatMap((group) => {
    const phrases = unique(
      group.flatMap(queryWordSequences).filter(({ length }) => length > 0 && length <= phraseWordsMax),
    )
    return phrases.map((phrase) => ({ phrase, others: phrases.filter((other) => other !== phrase) }))
  })
  return Map.groupBy(all, ({ phrase }) => phrase[0] as string)
}

// Synonyms of the word at this place: each replaces a whole phrase that contains the word.
export function findSynonymsAt(
  synonyms: Synonyms,
  words: readonly { forms: readonly string[] }[],
  at: number,
): readonly (readonly string[])[] {
  if (synonyms.size === 0) return []
  const all = words.slice(0, at + 1).flatMap((first, start) =>
    first.forms
      .flatMap((form) => synonyms.get(form) ?? [])
      .filter(({ phrase }) => start + phrase.length > at && isAskedFrom(words, start, phrase))
      .flatMap(({ others }) => others),
  )
  const others = unique(all).filter((phrase) => phrase.length > 1 || !words[at]?.forms.includes(phrase[0] as string))
  return others.slice(0, alternativesMax)
}

function unique(phrases: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(phrases.map((phrase) => [phrase.join(' '), phrase])).values()]
}

function isAskedFrom(
  words: readonly { forms: readonly string[] }[],
  start: number,
  phrase: readonly string[],
): boolean {
  return phrase.every((word, at) => words[start + at]?.forms.includes(word))
}
