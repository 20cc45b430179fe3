import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStatementCache } from './statement.ts'
import { Fragment, type SqlValue } from './storage.ts'

test('a template has one statement for each combination of fragments, whatever was used before', () => {
  const made: string[] = []
  const find = createStatementCache('$', (text) => {
    made.push(text)
    return text
  })
  const tag = (template: TemplateStringsArray, ...parts: (SqlValue | Fragment)[]) => find(template, parts)
  const statementFor = (column: SqlValue | Fragment, condition: Fragment) =>
    tag`select ${column} from a where ${condition} and b = ${1}`
  const [name, other] = [new Fragment('name'), new Fragment('other')]
  const few = () => new Fragment('c in (?, ?)', [1, 2])
  const many = () => new Fragment('c in (?, ?, ?, ?)', [1, 2, 3, 4])
  const asked = [
    [name, few(), 'select name from a where c in ($1, $2) and b = $3'],
    [name, few(), 'select name from a where c in ($1, $2) and b = $3'],
    [name, many(), 'select name from a where c in ($1, $2, $3, $4) and b = $5'],
    [other, few(), 'select other from a where c in ($1, $2) and b = $3'],
    [5, few(), 'select $1 from a where c in ($2, $3) and b = $4'],
    [6, few(), 'select $1 from a where c in ($2, $3) and b = $4'],
    [name, few(), 'select name from a where c in ($1, $2) and b = $3'],
  ] as const
  for (const [column, condition, text] of asked) assert.equal(statementFor(column, condition), text)
  assert.equal(made.length, 4)
})
