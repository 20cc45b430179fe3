// Reads the form encoding of Stripe's API, `created[gte]=1&types[0]=a`, into nested objects and lists of texts.

export type FormValue = string | FormValue[] | { [name: string]: FormValue }
export type Form = { [name: string]: FormValue }

export function parseForm(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [name.split('[')[0] ?? '', ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, part]) => part ?? '')]
    put(form, path, value)
  }
  return listed(form) as Form
}

function put(into: Form, [name = '', ...rest]: string[], value: string): void {
  const key = name === '' ? `${Object.keys(into).length}` : name
  if (rest.length === 0) {
    into[key] = value
    return
  }
  const inner = into[key]
  const next: Form = typeof inner === 'object' && !Array.isArray(inner) ? inner : {}
  into[key] = next
  put(next, rest, value)
}

// Objects whose names count from 0 are lists.
function listed(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, one]): [string, FormValue] => [name, listed(one)])
  const isList = entries.length > 0 && entries.every(([name], index) => name === `${index}`)
  return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}
