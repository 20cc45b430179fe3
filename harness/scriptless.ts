// A browser without script, for tests of forms: it reads a page of ours, fills in its forms and sends them as a browser
// would. It costs a request where a real browser costs half a second; keys, focus and layout need a real one.

import assert from 'node:assert/strict'
import { type DefaultTreeAdapterTypes, parse as parseHtml } from 'parse5'
import { exchange } from './exchange.ts'

export interface Element {
  tag: string
  attributes: Map<string, string>
  children: (Element | string)[]
  parent: Element | null
}

export interface Field {
  value: string
  label: string
  // What is said about it: hints and errors.
  description: string
  isInvalid: boolean
  isDisabled: boolean
  // The texts of a select's options.
  options: readonly string[]
}

export interface Form {
  action: string
  method: string
  fields: readonly (readonly [name: string, value: string])[]
  // What a browser would send of it as it stands, without a button.
  sent: readonly (readonly [name: string, value: string])[]
  typed: readonly TypedField[]
  isMultipart: boolean
}

// A field that takes typing.
export interface TypedField {
  name: string
  kind: 'line' | 'text' | 'email' | 'url' | 'whole' | 'amount'
  lengthMax: number
  isRequired: boolean
}

export interface Scriptless {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  // The address of the page, with its fragment.
  readonly path: string
  // The address of another host to which the browser was sent; there is no page then.
  readonly leftTo: string | null
  title(): string
  heading(): string
  // What can be read.
  text(): string
  // The alerts that can be read, and which of them takes the focus.
  alerts(): string[]
  focused(): Element | null
  // The buttons that can be pressed, by name.
  buttons(): string[]
  links(): ReadonlyMap<string, string>
  // By the name under which it is sent; undefined where the page has none.
  field(name: string): Field | undefined
  // What is said about each field that is wrong, without hints.
  invalid(): { name: string; text: string }[]
  // Every form with all that it could send, also what is not chosen.
  forms(): readonly Form[]
  open(path: string): Promise<void>
  // Sends a form of a page that was seen earlier.
  post(action: string, body: URLSearchParams | FormData): Promise<void>
  // Presses the one button of this name, in the form that has these values (default: any), after filling in the others.
  press(
    button: string,
    typed?: Readonly<Record<string, string>>,
    values?: Readonly<Record<string, string>>,
  ): Promise<void>
}

export function scriptless(origin: string, headers: Readonly<Record<string, string>> = {}): Scriptless {
  let page = parse('')
  const state = { status: 0, headers: new Headers(), html: '', path: '', leftTo: null as string | null }

  async function load(path: string, body?: URLSearchParams | FormData): Promise<void> {
    const answer = await exchange(new URL(path, origin).href, {
      redirect: 'manual',
      headers: { 'accept-language': 'en-GB', ...headers },
      ...(body && { method: 'POST', body }),
    })
    const to = answer.headers.get('location')
    if (to === null) {
      Object.assign(state, { status: answer.status, headers: answer.headers, html: answer.text, path })
      page = parse(state.html)
      return
    }
    assert.equal(answer.status, 303)
    const target = new URL(to, new URL(path, origin))
    if (target.origin === origin) return load(target.pathname + target.search + target.hash)
    Object.assign(state, { html: '', leftTo: target.href })
    page = parse('')
  }

  const all = (tag: string) => descendants(page).filter((one) => one.tag === tag)
  const readable = (tag: string) => all(tag).filter((one) => !isHidden(one))
  const textById = (id: string) => descendants(page).find((one) => one.attributes.get('id') === id)

  return {
    get status() {
      return state.status
    },
    get headers() {
      return state.headers
    },
    get html() {
      return state.html
    },
    get path() {
      return state.path
    },
    get leftTo() {
      return state.leftTo
    },
    title: () => textOf(all('title')[0]),
    heading: () => {
      const headings = readable('h1')
      assert.equal(headings.length, 1, 'one first heading')
      return textOf(headings[0])
    },
    text: () => textOf(page),
    alerts: () =>
      descendants(page)
        .filter((one) => one.attributes.get('role') === 'alert' && !isHidden(one))
        .map(textOf),
    focused: () => descendants(page).find((one) => one.attributes.has('autofocus')) ?? null,
    buttons: () =>
      readable('button')
        .filter((one) => !isDisabled(one) && one.attributes.get('type') !== 'button')
        .map(nameOf),
    links: () => new Map(readable('a').map((one) => [nameOf(one), one.attributes.get('href') ?? ''])),
    field(name) {
      const found = descendants(page).filter((one) => isControl(one) && one.attributes.get('name') === name)
      const one = found.find(isChosen) ?? found.find((control) => !isRadio(control))
      if (!one) return undefined
      const id = one.attributes.get('id') ?? ''
      const label = all('label').find(({ attributes }) => attributes.get('for') === id)
      const described = (one.attributes.get('aria-describedby') ?? '').split(' ').filter(Boolean)
      return {
        value: currentValue(one),
        label: textOf(label),
        description: described.map((described) => textOf(textById(described))).join(' '),
        isInvalid: one.attributes.get('aria-invalid') === 'true',
        isDisabled: isDisabled(one),
        options: one.tag === 'select' ? optionsOf(one).map(textOf) : [],
      }
    },
    invalid: () =>
      descendants(page)
        .filter(({ attributes }) => attributes.get('aria-invalid') === 'true')
        .map(({ attributes }) => {
          const described = (attributes.get('aria-describedby') ?? '').split(' ').filter((id) => !id.endsWith('-help'))
          const text = described.map((id) => textOf(textById(id))).join(' ')
          return { name: attributes.get('name') ?? '', text }
        }),
    forms: () =>
      all('form').map((form) => ({
        action: form.attributes.get('action') ?? '',
        method: form.attributes.get('method') ?? 'get',
        fields: descendants(form).flatMap((one) => {
          const name = one.attributes.get('name')
          if (name === undefined) return []
          if (one.tag === 'select')
            return optionsOf(one).map((option) => [name, option.attributes.get('value') ?? ''] as const)
          return isControl(one)
            ? [[name, currentValue(one)] as const]
            : [[name, one.attributes.get('value') ?? ''] as const]
        }),
        sent: fieldsOf(form),
        typed: descendants(form).flatMap(typedField),
        isMultipart: isMultipart(form),
      })),
    async open(path) {
      state.leftTo = null
      await load(path)
    },
    async post(action, body) {
      state.leftTo = null
      await load(action, body)
    },
    async press(name, typed = {}, values = {}) {
      const found = readable('button').filter((one) => {
        if (nameOf(one) !== name || isDisabled(one)) return false
        const sent = new Map(fieldsOf(formOf(one)))
        return Object.entries(values).every(([field, value]) => sent.get(field) === value)
      })
      const [button] = found
      assert.ok(button && found.length === 1, `${found.length} buttons "${name}" on ${state.path}: ${textOf(page)}`)
      const form = formOf(button)
      fill(form, typed)
      const body = isMultipart(form) ? new FormData() : new URLSearchParams()
      for (const [field, value] of fieldsOf(form)) body.append(field, value)
      const pressed = button.attributes.get('name')
      if (pressed !== undefined) body.append(pressed, button.attributes.get('value') ?? '')
      assert.equal(form.attributes.get('method'), 'post')
      state.leftTo = null
      await load(form.attributes.get('action') ?? '', body)
    },
  }
}

// Reading. A page of ours has no mistake that a parser would have to mend.

function parse(html: string): Element {
  const document = parseHtml(html, {
    scriptingEnabled: false,
    onParseError: ({ code, startLine }) => {
      // What was typed is shown again as it is.
      if (code === 'control-character-in-input-stream') return
      if (/^\s*<!doctype/i.test(html)) assert.fail(`${code} in line ${startLine}: ${html.split('\n')[startLine - 1]}`)
    },
  })
  const root: Element = { tag: '', attributes: new Map(), children: [], parent: null }
  addAll(root, document.childNodes)
  return root
}

// The content of a template is not part of the page.
function addAll(parent: Element, nodes: readonly DefaultTreeAdapterTypes.ChildNode[]): void {
  for (const node of nodes) {
    if ('value' in node) parent.children.push(node.value)
    if (!('tagName' in node)) continue
    const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]))
    const element: Element = { tag: node.tagName, attributes, children: [], parent }
    parent.children.push(element)
    addAll(element, node.childNodes)
  }
}

// A page is searched many times, and filling it in changes no elements.
const elementsWithin = new WeakMap<Element, readonly Element[]>()

function descendants(element: Element): readonly Element[] {
  const known = elementsWithin.get(element)
  if (known) return known
  const all: Element[] = []
  collect(element, all)
  elementsWithin.set(element, all)
  return all
}

function collect(element: Element, all: Element[]): void {
  for (const child of element.children) {
    if (typeof child === 'string') continue
    all.push(child)
    collect(child, all)
  }
}

function lineage(element: Element): Element[] {
  return element.parent ? [element, ...lineage(element.parent)] : [element]
}

function isHidden(element: Element): boolean {
  for (let one: Element | null = element; one !== null; one = one.parent)
    if (one.attributes.has('hidden') || one.attributes.get('aria-hidden') === 'true') return true
  return false
}

const unread = new Set(['head', 'svg'])

function textOf(element: Element | undefined): string {
  if (!element) return ''
  const parts = (one: Element): string =>
    one.children
      .map((child) => {
        if (typeof child === 'string') return child
        const isRead = !unread.has(child.tag) && !child.attributes.has('hidden')
        return isRead ? ` ${parts(child)} ` : ''
      })
      .join('')
  return parts(element)
    .replaceAll(/[ \n]+/g, ' ')
    .trim()
}

function nameOf(element: Element): string {
  return element.attributes.get('aria-label') ?? textOf(element)
}

// Forms.

function isControl({ tag }: Element): boolean {
  return tag === 'input' || tag === 'select' || tag === 'textarea'
}

function isMultipart({ attributes }: Element): boolean {
  return attributes.get('enctype') === 'multipart/form-data'
}

const typedKinds: Readonly<Record<string, TypedField['kind']>> = {
  text: 'line',
  search: 'line',
  tel: 'line',
  password: 'line',
  email: 'email',
  url: 'url',
  number: 'whole',
}

function typedField(control: Element): TypedField[] {
  const { tag, attributes } = control
  const name = attributes.get('name')
  if (name === undefined || isDisabled(control) || !(tag === 'input' || tag === 'textarea')) return []
  const mode = attributes.get('inputmode')
  const asked = mode === 'decimal' ? 'amount' : mode === 'numeric' ? 'whole' : undefined
  const kind = tag === 'textarea' ? 'text' : typedKinds[attributes.get('type') ?? 'text']
  if (kind === undefined) return []
  const lengthMax = Number(attributes.get('maxlength') ?? Infinity)
  return [{ name, kind: asked ?? kind, lengthMax, isRequired: attributes.has('required') }]
}

function isRadio({ attributes }: Element): boolean {
  return ['radio', 'checkbox'].includes(attributes.get('type') ?? '')
}

function isChosen(element: Element): boolean {
  return isRadio(element) && element.attributes.has('checked')
}

function isDisabled(element: Element): boolean {
  return (
    element.attributes.has('disabled') ||
    lineage(element).some(({ tag, attributes }) => tag === 'fieldset' && attributes.has('disabled'))
  )
}

function optionsOf(select: Element): Element[] {
  return descendants(select).filter(({ tag }) => tag === 'option')
}

function currentValue(control: Element): string {
  // What is inside as it is: line breaks count.
  if (control.tag === 'textarea') return control.children.filter((child) => typeof child === 'string').join('')
  if (control.tag === 'input') return control.attributes.get('value') ?? (isRadio(control) ? 'on' : '')
  const options = optionsOf(control)
  return (options.find(({ attributes }) => attributes.has('selected')) ?? options[0])?.attributes.get('value') ?? ''
}

function formOf(element: Element): Element {
  const named = element.attributes.get('form')
  const around = lineage(element)
  const form =
    named === undefined
      ? around.find(({ tag }) => tag === 'form')
      : around.flatMap(descendants).find(({ tag, attributes }) => tag === 'form' && attributes.get('id') === named)
  assert.ok(form, 'a form around it, or the one it names')
  return form
}

// What is sent with a form, in its order.
function fieldsOf(form: Element): [string, string][] {
  return descendants(form)
    .filter((one) => isControl(one) && !isDisabled(one) && (!isRadio(one) || isChosen(one)))
    .flatMap((one): [string, string][] => {
      const name = one.attributes.get('name')
      return name === undefined ? [] : [[name, currentValue(one)]]
    })
}

function fill(form: Element, typed: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(typed)) {
    const controls = descendants(form).filter((one) => isControl(one) && one.attributes.get('name') === name)
    assert.ok(controls.length > 0 && !controls.some(isDisabled), `a field ${name} to fill in`)
    for (const control of controls) set(control, value)
    assert.equal(new Map(fieldsOf(form)).get(name), value, `${name} can be ${value}`)
  }
}

function set(control: Element, value: string): void {
  if (isRadio(control)) mark(control, 'checked', currentValue(control) === value)
  else if (control.tag === 'select') {
    for (const option of optionsOf(control)) mark(option, 'selected', option.attributes.get('value') === value)
  } else {
    assert.ok(value.length <= Number(control.attributes.get('maxlength') ?? Infinity), `${value} fits`)
    if (control.tag === 'textarea') control.children = [value]
    else control.attributes.set('value', value)
  }
}

function mark({ attributes }: Element, name: string, isSet: boolean): void {
  if (isSet) attributes.set(name, '')
  else attributes.delete(name)
}
