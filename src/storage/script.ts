// Splits a migration into its commands. They are sent one at a time: a schema that Citus distributes takes no others.

// Without comments and the semicolons at their ends. Functions have bodies of their own and are not supported.
export function commandsOf(script: string): string[] {
  const commands: string[] = []
  let command = ''
  for (const [token] of script.matchAll(TOKEN)) {
    if (token.startsWith('--') || token.endsWith('*/')) command += ' '
    else if (token === ';') {
      commands.push(command.trim())
      command = ''
    } else {
      if (token === "'" || token === '"') throw new Error('a migration ends inside quotation marks')
      if (token === '$' || token === '/*') throw new Error('a migration has no function bodies and no open comments')
      command += token
    }
  }
  commands.push(command.trim())
  return commands.filter((text) => text !== '')
}

// A quoted text or name, in which a quotation mark is doubled; a comment; the end of a command; or anything else. A quotation
// mark or the beginning of a comment by itself has no end.
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|\/\*|[^'";$/-]+|./gs
