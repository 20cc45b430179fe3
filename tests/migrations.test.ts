// Migrations from 0020 on can be applied while the version before still runs, on both engines, and in a schema that Citus
// distributes: they only add, one command at a time. What they may do is a list; everything else is refused.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { splitCommands } from '../src/platform/storage/script.ts'

const folder = join(import.meta.dirname, '../src/platform/storage/migrations')
const firstVersion = 20

// Migrations that remove what no version since the named migration reads or writes. Older programs refuse the database after them.
const needs = /^(\d{4})_needs_(\d{4})_/

function isContraction(name: string): boolean {
  const [, own, needed] = needs.exec(name) ?? []
  return needed !== undefined && Number(needed) >= firstVersion && Number(needed) <= Number(own)
}

const columnType = '(?:text|bigint)'
const allowed: readonly RegExp[] = [
  /^create table (\w+) \(.*\)$/,
  /^create (?:unique )?index (\w+) on \w+ \(.*\)(?: where .*)?$/,
  // The full-text index of each engine.
  /^create virtual table product_index_words using fts5\(.*\)$/,
  /^create index product_index_words_found on product_index_words using gin \(words\)$/,
  new RegExp(`^alter table \\w+ add column \\w+ ${columnType}(?: not null default (?:'[^']*'|-?\\d+))?$`),
  /^alter table \w+ add constraint \w+ (?:check|unique|foreign key) ?\(.*\)(?: references \w+ \(.*\))?$/,
  /^drop index \w+$/,
  /^(?:insert into|update|delete from) \w+ .*$/,
]

const forbidden: readonly [RegExp, string][] = [
  [
    /\b(?:serial|bigserial|smallserial|sequence|nextval|identity|autoincrement)\b/,
    'has a sequence: ids are made by us',
  ],
  [/\bgenerated\b/, 'has a generated column'],
  [/\b(?:trigger|function|procedure|rule|extension|concurrently)\b/, 'has a trigger, function or the like'],
  [/^create (?:view|materialized)|\b(?:on delete|on update) (?:cascade|set)\b/, 'hides a change in the schema'],
  [/\b(?:now|current_timestamp|random|gen_random_uuid)\b/, 'has a default that the database makes up'],
  [/^create table \w+\.|\b(?:into|on|table|update|from|join|references) \w+\.\w+/, 'names a schema'],
]

const contracting =
  /^drop table|^alter table \w+ (?:drop|rename|alter column)|^alter (?:index|table) \w+ rename|^drop index if/

function complaintsAbout(name: string, script: string): string[] {
  const complaints: string[] = []
  for (const command of splitCommands(script)) {
    const text = command.replaceAll(/\s+/g, ' ').toLowerCase()
    const plain = text.replaceAll(/'(?:[^']|'')*'/g, "''")
    const head = text.slice(0, 60)
    for (const [pattern, problem] of forbidden) if (pattern.test(plain)) complaints.push(`${name}: ${problem}: ${head}`)
    if (contracting.test(plain)) {
      if (!isContraction(name)) complaints.push(`${name}: removes or changes what the version before uses: ${head}`)
    } else if (/^alter table \w+ add column/.test(plain) && /\b(?:check|unique|references|primary key)\b/.test(plain))
      complaints.push(`${name}: adds a constraint with its column, not by name in a command of its own: ${head}`)
    else if (/^alter table \w+ add (?:check|unique|foreign|primary)/.test(plain))
      complaints.push(`${name}: adds a constraint without a name: ${head}`)
    else if (!allowed.some((pattern) => pattern.test(text))) complaints.push(`${name}: is not on the list: ${head}`)
  }
  return complaints
}

describe('migrations', () => {
  const names = readdirSync(folder).map((file) => file.replace('.sql', ''))

  test(`from ${firstVersion} on contain only allowed commands`, () => {
    const newer = names.filter((name) => Number(name.slice(0, 4)) >= firstVersion)
    const scripts = newer.map((name) => complaintsAbout(name, readFileSync(join(folder, `${name}.sql`), 'utf8')))
    assert.deepEqual(scripts.flat(), [])
  })

  test('that only expand the schema are accepted', () => {
    const good = `
      -- Every commit that adds a column, a table, an index or a constraint.
      alter table orders add column note text;
      alter table orders add column weight bigint not null default 0;
      alter table orders add constraint orders_weight check (weight >= 0);
      create table parcels (
        merchant_id text not null references merchants (id),
        id text not null,
        state text not null check (state in ('open', 'sent; generated')),
        primary key (merchant_id, id)
      );
      create unique index parcels_open on parcels (merchant_id) where state = 'open';
      alter table parcels add constraint parcels_order foreign key (merchant_id, id) references orders (merchant_id, id);
      drop index parcels_open;
      insert into parcels (merchant_id, id, state) select merchant_id, id, 'open' from orders;
      update orders set note = 'a sequence, a trigger' where note is null;`
    assert.deepEqual(complaintsAbout('0099_good', good), [])
  })

  test('that remove something must have a name with the version that they need', () => {
    const problems = (name: string) => complaintsAbout(name, 'alter table a drop column b;').length
    assert.deepEqual(['0099_needs_0098_drop_b', '0099_drop_b', '0099_needs_0100_drop_b'].map(problems), [0, 1, 1])
  })

  for (const [command, problem] of [
    ['create table a (id bigserial primary key)', 'has a sequence'],
    ['create sequence numbers', 'has a sequence'],
    ['alter table a add column b bigint generated always as (c * 2) stored', 'has a generated column'],
    ['create trigger t before insert on a begin select 1', 'has a trigger'],
    ["create function f() returns text language sql as 'select 1'", 'has a trigger, function'],
    ['create index concurrently i on a (b)', 'has a trigger, function or the like'],
    ['create view v as select 1', 'hides a change'],
    ['create table a (id text references b (id) on delete cascade)', 'hides a change'],
    ['create table public.a (id text)', 'names a schema'],
    ['update public.a set b = 1 where c', 'names a schema'],
    ['alter table a add column b bigint not null default extract(epoch from now())', 'that the database makes up'],
    ['alter table a add column b text check (b <> 0)', 'adds a constraint with its column'],
    ['alter table a add column b text references c (id)', 'adds a constraint with its column'],
    ['alter table a add check (b > 0)', 'adds a constraint without a name'],
    ['alter table a add column b text not null', 'is not on the list'],
    ['alter table a add column b timestamptz', 'is not on the list'],
    ['alter table a drop column b', 'removes or changes'],
    ['alter table a rename column b to c', 'removes or changes'],
    ['alter table a alter column b set not null', 'removes or changes'],
    ['drop table a', 'removes or changes'],
    ['truncate a', 'is not on the list'],
    ['vacuum', 'is not on the list'],
  ] as const) {
    test(`that are unsafe are refused: ${command}`, () => {
      const complaints = complaintsAbout('0099_bad', `create table fine (id text);\n${command};`)
      assert.ok(
        complaints.some((complaint) => complaint.includes(problem)),
        complaints.join('\n') || 'nobody complained',
      )
    })
  }
})
