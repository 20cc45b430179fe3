import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { splitCommands } from './script.ts'

test('a script is split at its semicolons, without its comments', () => {
  assert.deepEqual(splitCommands('create table a (id text);\n-- why; and so on\ncreate index b on a (id)'), [
    'create table a (id text)',
    'create index b on a (id)',
  ])
  assert.deepEqual(
    splitCommands("insert into a values ('x;', 'it''s; -- no comment'); /* ; */ update a set id = 2 - 1 / 3;;"),
    ["insert into a values ('x;', 'it''s; -- no comment')", 'update a set id = 2 - 1 / 3'],
  )
  assert.deepEqual(splitCommands('select ";""--" from a -- the end'), ['select ";""--" from a'])
  assert.deepEqual(splitCommands(' \n;-- nothing\n'), [])
})

test('a command can be for one engine only', () => {
  const script = 'create table a (id text);\n-- Why.\n-- only sqlite\ncreate b;\n-- only postgres\ncreate c;\ncreate d'
  assert.deepEqual(splitCommands(script, 'sqlite'), ['create table a (id text)', 'create b', 'create d'])
  assert.deepEqual(splitCommands(script, 'postgres'), ['create table a (id text)', 'create c', 'create d'])
  assert.equal(splitCommands(script).length, 4)
})

test('a script that cannot be split is refused', () => {
  for (const script of ["select 'open", 'select "open', 'select /* open', 'create function f() as $$ select 1; $$'])
    assert.throws(() => splitCommands(script), /^Error: a migration/, script)
})

test('every migration can be split into commands that begin with a verb', () => {
  const folder = join(import.meta.dirname, 'migrations')
  const verbs = new Set<string>()
  for (const file of readdirSync(folder))
    for (const command of splitCommands(readFileSync(join(folder, file), 'utf8')))
      verbs.add(command.split(/\s/, 1)[0] ?? '')
  assert.deepEqual([...verbs].sort(), ['alter', 'create', 'delete', 'drop', 'insert', 'update'])
})
