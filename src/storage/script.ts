// Splits a migration into its commands. They are sent one at a time, because a schema that Citus distributes accepts
// nothing else.

// Comments and trailing semicolons are removed. Function bodies are not supported.
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
      if (token === '$' || token === '/*')
        throw new Error('a migration must not contain function bodies or unclosed comments')
      command += token
    }
  }
  commands.push(command.trim())
  return commands.filter((text) => text !== '')
}

// A quoted text or name, in which a quotation mark is doubled; a comment; the end of a command; or anything else. A quotation
// mark or the beginning of a comment by itself has no end.
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|\/\*|[^'";$/-]+|./gs
