// The `html` tag: a template that escapes its values unless they are markup of this tag. Write attributes in double quotes: escaping
// protects only text and quoted attributes.

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0] ?? ''
  for (let index = 1; index < parts.length; index += 1) text += render(values[index - 1]) + parts[index]
  return new Html(text)
}

const special = /[&<>"']/

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(render).join('')
  const text = String(value)
  return special.test(text) ? text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`) : text
}
