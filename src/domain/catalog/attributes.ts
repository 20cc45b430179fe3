// The machine-readable attribute of an option: colour, size, material or pattern, for which Google and schema.org have attributes of
// these names. Pure.

import { foldSearchText } from '../search/words.ts'

export const optionAttributes = ['color', 'size', 'material', 'pattern'] as const

export type OptionAttribute = (typeof optionAttributes)[number]

// Names of options in the languages of our pages, and in the other languages whose plurals the search knows.
// biome-ignore format: lists of words
const names: Readonly<Record<OptionAttribute, readonly string[]>> = {
  color: ['color', 'colour', 'farbe', 'couleur', 'colore', 'cor', 'kleur', 'kolor', '色', 'カラー', 'لون', 'اللون'],
  size: [
    'size', 'größe', 'groesse', 'taille', 'talla', 'tamaño', 'taglia', 'misura', 'tamanho', 'maat', 'rozmiar', 'サイズ', '大きさ',
    'مقاس', 'المقاس', 'حجم', 'الحجم',
  ],
  material: ['material', 'matière', 'matériau', 'materiale', 'materiaal', 'materiał', '素材', '材質', 'مادة', 'المادة', 'خامة', 'الخامة'],
  pattern: ['pattern', 'muster', 'motif', 'patrón', 'estampado', 'motivo', 'fantasia', 'padrão', 'patroon', 'wzór', '柄', '模様', 'نقش', 'النقش'],
}

const attributes = new Map(
  optionAttributes.flatMap((attribute) => names[attribute].map((name) => [foldSearchText(name), attribute])),
)

export function optionAttributeOf(option: string): OptionAttribute | undefined {
  return attributes.get(foldSearchText(option.trim()))
}
