// Structured field values for HTTP (RFC 8941), as far as signed messages need them: dictionaries of items and inner lists, with strings,
// tokens, integers, booleans and byte sequences. Decimals are not supported.

export interface FieldToken {
  token: string
}
export type BareItem = string | number | boolean | Buffer | FieldToken
export type FieldParams = ReadonlyMap<string, BareItem>
export interface FieldItem {
  value: BareItem
  params: FieldParams
}
export interface InnerList {
  items: readonly FieldItem[]
  params: FieldParams
}
export type FieldMember = FieldItem | InnerList

const textMax = 8_192
// Maximum number of members in a dictionary, an inner list or a parameter list.
const membersMax = 64

// Returns undefined if the text is not a dictionary. If a key is repeated, its last value counts, as in the RFC.
export function readDictionary(text: string): ReadonlyMap<string, FieldMember> | undefined {
  if (text.length > textMax) return undefined
  try {
    return new FieldReader(text.trim()).dictionary()
  } catch (error) {
    if (error instanceof NotAField) return undefined
    throw error
  }
}

export function isInnerList(member: FieldMember | undefined): member is InnerList {
  return member !== undefined && 'items' in member
}

// Returns the bytes of a member that is a byte sequence, otherwise undefined.
export function fieldBytes(member: FieldMember | undefined): Buffer | undefined {
  return member !== undefined && 'value' in member && Buffer.isBuffer(member.value) ? member.value : undefined
}

// Returns the text of a member that is a string, otherwise undefined.
export function fieldString(member: FieldMember | undefined): string | undefined {
  return member !== undefined && 'value' in member && typeof member.value === 'string' ? member.value : undefined
}

export function innerListText({ items, params }: InnerList): string {
  return `(${items.map(serializeItem).join(' ')})${paramsText(params)}`
}

export function serializeItem({ value, params }: FieldItem): string {
  return `${bareText(value)}${paramsText(params)}`
}

export function fieldMemberText(member: FieldMember): string {
  return isInnerList(member) ? innerListText(member) : serializeItem(member)
}

export function bareText(value: BareItem): string {
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? '?1' : '?0'
  return Buffer.isBuffer(value) ? `:${value.toString('base64')}:` : value.token
}

function paramsText(params: FieldParams): string {
  return [...params].map(([name, value]) => (value === true ? `;${name}` : `;${name}=${bareText(value)}`)).join('')
}

class NotAField extends Error {}

const keyPattern = /[a-z*][a-z0-9_.*-]*/y
const integerPattern = /-?[0-9]{1,15}(?![0-9.])/y
const stringPattern = /"((?:[ !#-[\]-~]|\\["\\])*)"/y
const bytesPattern = /:([A-Za-z0-9+/]*={0,2}):/y
const booleanPattern = /\?([01])/y
const tokenPattern = /[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/y

class FieldReader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  dictionary(): ReadonlyMap<string, FieldMember> {
    const members = new Map<string, FieldMember>()
    while (this.at < this.text.length) {
      const name = this.need(keyPattern)[0]
      // A member without a value is true.
      const member = this.accept('=') ? this.member() : { value: true, params: this.params() }
      members.delete(name)
      members.set(name, member)
      if (members.size > membersMax) throw new NotAField()
      this.blanks()
      if (this.at === this.text.length) break
      if (!this.accept(',')) throw new NotAField()
      this.blanks()
      if (this.at === this.text.length) throw new NotAField()
    }
    return members
  }

  member(): FieldMember {
    return this.text[this.at] === '(' ? this.innerList() : this.item()
  }

  innerList(): InnerList {
    this.at += 1
    const items: FieldItem[] = []
    for (;;) {
      this.blanks()
      if (this.accept(')')) return { items, params: this.params() }
      items.push(this.item())
      const next = this.text[this.at]
      if (items.length > membersMax || (next !== ' ' && next !== ')')) throw new NotAField()
    }
  }

  item(): FieldItem {
    return { value: this.bare(), params: this.params() }
  }

  params(): FieldParams {
    const params = new Map<string, BareItem>()
    while (this.accept(';')) {
      this.blanks()
      const name = this.need(keyPattern)[0]
      params.delete(name)
      params.set(name, this.accept('=') ? this.bare() : true)
      if (params.size > membersMax) throw new NotAField()
    }
    return params
  }

  bare(): BareItem {
    const string = this.take(stringPattern)
    if (string) return (string[1] ?? '').replaceAll(/\\(["\\])/g, '$1')
    const integer = this.take(integerPattern)
    if (integer) return Number(integer[0])
    const bytes = this.take(bytesPattern)
    if (bytes) return Buffer.from(bytes[1] ?? '', 'base64')
    const boolean = this.take(booleanPattern)
    if (boolean) return boolean[1] === '1'
    return { token: this.need(tokenPattern)[0] }
  }

  blanks(): void {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at += 1
  }

  accept(sign: string): boolean {
    if (this.text[this.at] !== sign) return false
    this.at += 1
    return true
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found
  }

  need(pattern: RegExp): RegExpExecArray {
    const found = this.take(pattern)
    if (!found) throw new NotAField()
    return found
  }
}
