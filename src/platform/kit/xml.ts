// Writes XML. Pure.

export type XmlChild = XmlElement | string | false | null | undefined

export class XmlElement {
  readonly text: string

  // `name` includes the namespace prefix. Children that are undefined, null, false or '' are left out.
  constructor(name: string, attributes: Readonly<Record<string, string>>, children: readonly XmlChild[]) {
    const head = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
    const body = children.map((child) => (child instanceof XmlElement ? child.text : child ? escapeXml(child) : ''))
    const isNested = children.some((child) => child instanceof XmlElement)
    this.text = `<${name}${head.join('')}>${isNested ? '\n' : ''}${body.join('')}</${name}>\n`
  }
}

// Creates an element, such as `xml('cbc:ID', '1')`. Attributes may precede the children.
export function xml(name: string, ...parts: (Readonly<Record<string, string>> | XmlChild)[]): XmlElement {
  const [first, ...rest] = parts
  if (typeof first === 'object' && first !== null && !(first instanceof XmlElement))
    return new XmlElement(name, first, rest as XmlChild[])
  return new XmlElement(name, {}, parts as XmlChild[])
}

export function xmlFile(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.text}`
}

// Fast path: text that needs no escaping, as most text, is only scanned once.
const safeText = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x7e\u00a0-\ud7ff]*$/

// Also removes characters that XML 1.0 does not allow.
export function escapeXml(text: string): string {
  if (safeText.test(text)) return text
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
