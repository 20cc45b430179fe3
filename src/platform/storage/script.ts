// Splits a migration into its commands. They are sent one at a time, as a schema that Citus distributes requires.
import type { Engine } from './storage.ts'

// Removes comments and trailing semicolons. Function bodies are not supported. A command after the comment `-- only sqlite` or `-- only
// postgres` is left out for the other engine. Without an engine, all commands are returned.
export function splitCommands(script: string, engine?: Engine): string[] {
  const commands: string[] = []
  let command = ''
  let only: string | undefined
  const end = () => {
    if (!engine || !only || only === engine) commands.push(command.trim())
    command = ''
    only = undefined
  }
  for (const [token] of script.matchAll(TOKEN)) {
    if (token.startsWith('--') || token.endsWith('*/')) {
      only = ONLY.exec(token)?.[1] ?? only
      command += ' '
    } else if (token === ';') end()
    else {
      if (token === "'" || token === '"') throw new Error('a migration ends inside quotation marks')
      if (token === '$' || token === '/*')
        throw new Error('a migration must not contain function bodies or unclosed comments')
      command += token
    }
  }
  end()
  return commands.filter((text) => text !== '')
}

// A token is a quoted text or name, in which quotation marks are doubled; a comment; the end of a command; or anything else. A lone
// quotation mark, or a lone start of a comment, means that the text or comment is not closed.
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|\/\*|[^'";$/-]+|./gs
const ONLY = /^-- only (sqlite|postgres)$/
