// Reads our own source as text, for checks of style: which parts are comments, which are strings, how long functions are. It knows only as
// much of the language as code that the formatter has written needs.

export interface Segment {
  kind: 'code' | 'comment' | 'string'
  text: string
}

// A slash begins a regular expression after these, and divides after everything else.
const beforeExpression = /(?:^|[(,=:[!&|?{};>+]|\breturn|\bcase)\s*$/
const tokens = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[`{}/]/g
const regularExpression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y
const templatePart = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y

// Their texts together are the whole text again. What is between `${` and `}` of a template is code.
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = []
  // For each template that is open: how many braces are open in its expression.
  const open: number[] = []
  let done = 0
  const add = (kind: Segment['kind'], end: number) => {
    if (end > done) segments.push({ kind, text: text.slice(done, end) })
    done = end
  }
  const matchAt = (pattern: RegExp, index: number) => {
    pattern.lastIndex = index
    return pattern.exec(text)?.[0] ?? ''
  }
  tokens.lastIndex = 0
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const [token] = found
    const depth = open.at(-1)
    if (token === '/') {
      if (!beforeExpression.test(text.slice(Math.max(0, found.index - 20), found.index))) continue
      const length = matchAt(regularExpression, found.index).length
      if (length === 0) continue
      add('code', found.index)
      add('string', found.index + length)
    } else if (token === '`' || (token === '}' && depth === 0)) {
      if (token === '}') open.pop()
      add('code', found.index)
      const part = matchAt(templatePart, found.index + 1)
      if (part.endsWith('${')) open.push(0)
      add('string', found.index + 1 + part.length)
    } else if (token === '{' || token === '}') {
      if (depth !== undefined) open[open.length - 1] = depth + (token === '{' ? 1 : -1)
    } else {
      add('code', found.index)
      add(token.startsWith('/') ? 'comment' : 'string', found.index + token.length)
    }
    tokens.lastIndex = Math.max(tokens.lastIndex, done)
  }
  add('code', text.length)
  return segments
}

// The code alone, with its lines where they were.
export function codeOf(text: string): string {
  return segmentsOf(text)
    .map(({ kind, text: part }) => (kind === 'code' ? part : part.replace(/[^\n]/g, ' ')))
    .join('')
}

// What people read: comments and the names of tests.
export function proseOf(text: string): string[] {
  const segments = segmentsOf(text)
  return segments.flatMap(({ kind, text: part }, index) => {
    const isTestName = kind === 'string' && /\b(?:test|describe|\w+Engine)\($/.test(segments[index - 1]?.text ?? '')
    return kind === 'comment' || isTestName ? [part] : []
  })
}

const functionLine =
  /^( *)(?:export )?(?:(?:async )?function\*? (\w+)|const (\w+)(?:: [^=]+)? = (?:async )?\(.*\)(?:: .+)? => \{$)/

// Named functions with their numbers of lines. The formatter puts the last brace below the first letter. An indented line of markup belongs
// to the line before (src/platform/html/html.ts), and is not counted.
export function functionsOf(text: string): { name: string; lines: number }[] {
  const lines = codeOf(text).split('\n')
  const isMarkup = markupLinesOf(text)
  return lines.flatMap((line, first) => {
    const [, indent = '', declared, assigned] = functionLine.exec(line.trimEnd()) ?? []
    const name = declared ?? assigned
    if (name === undefined) return []
    const last = lines.findIndex((other, index) => index > first && other.trimEnd() === `${indent}}`)
    if (last < 0) return []
    return [{ name, lines: lines.slice(first, last + 1).filter((_, index) => !isMarkup[first + index]).length }]
  })
}

// Whether each line is indented and begins within a template.
function markupLinesOf(text: string): boolean[] {
  return segmentsOf(text)
    .map(({ kind, text: part }) => (kind === 'string' ? part.replace(/(?<=\n +)[^ \n]/g, '\0') : part))
    .join('')
    .split('\n')
    .map((line) => /^ +\0/.test(line))
}

export function exportsOf(text: string): string[] {
  const names = /^export (?:async |abstract |declare )?(?:function\*?|const|let|class|interface|type) (\w+)/gm
  return [...new Set([...codeOf(text).matchAll(names)].map(([, name = '']) => name))]
}
