import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { eachEngine } from '../../../harness/storage.ts'
import { openInterfaceScopes as scopes } from '../../contract/words.ts'
import {
  type AppDefinition,
  appProblem,
  createApp,
  disableApp,
  enableApp,
  findApp,
  findAppByName,
  listAppInstallations,
  listApps,
  redirectHostsOf,
  redirectUriProblem,
  setApp,
} from './apps.ts'

const definition: AppDefinition = {
  name: 'Parcel Pigeon',
  description: '',
  redirectUris: ['https://pigeon.example/callback'],
  scopes: ['catalog:read'],
  mode: 'test',
  jwks: null,
}

describe('redirect URIs', () => {
  for (const uri of [
    'https://pigeon.example/callback',
    'https://pigeon.example',
    'https://pigeon.example:8443/a/b?c=d&e=%20',
    'https://192.0.2.1/',
    'http://127.0.0.1:4020/callback',
    'http://[::1]:4020/callback',
    'http://localhost/callback',
  ])
    test(`accepts ${uri}`, () => assert.equal(redirectUriProblem(uri), undefined))

  // biome-ignore format: a table is read by its rows
  for (const [uri, why] of [
    ['', /absolute/],
    ['/callback', /absolute/],
    ['pigeon.example/callback', /absolute/],
    ['com.pigeon:/callback', /absolute/],
    ['javascript:alert(1)', /absolute/],
    ['data:text/html,x', /absolute/],
    ['https://', /absolute/],
    ['https://pigeon.example/a b', /absolute/],
    ['https://pigeön.example/', /absolute/],
    ['https://pigeon.example/callback#', /fragment/],
    ['https://pigeon.example/callback#x', /fragment/],
    ['https://ada@pigeon.example/', /user/],
    ['https://ada:secret@pigeon.example/', /user/],
    ['https://@pigeon.example/', /written as/],
    ['https://*.pigeon.example/', /wildcards/],
    ['https://pigeon.example/*', /wildcards/],
    ['http://pigeon.example/callback', /must begin with https/],
    ['http://127.0.0.2/', /must begin with https/],
    ['http://localhost.pigeon.example/', /must begin with https/],
    ['http://2130706433/', /written as http:\/\/127\.0\.0\.1\//],
    ['HTTPS://pigeon.example/', /absolute/],
    ['https://PIGEON.example/', /written as/],
    ['https://pigeon.example:443/', /written as/],
    ['https://pigeon.example/a/../b', /written as/],
    ['https://pigeon.example\\@evil.example/', /written as/],
    ['https:///pigeon.example/', /written as/],
    [`https://pigeon.example/${'x'.repeat(2_000)}`, /at most/],
  ] as const)
    test(`refuses ${uri.slice(0, 60)}`, () => assert.match(redirectUriProblem(uri)?.message ?? '', why))

  test('the hosts of an app are those of its https redirect URIs with their ports, each once', () => {
    const redirectUris = ['https://b.example:8443/x', 'http://localhost/', 'https://a.example/', 'https://b.example/y']
    assert.deepEqual(redirectHostsOf({ redirectUris }), ['a.example', 'b.example', 'b.example:8443'])
  })
})

describe('definitions of apps', () => {
  // biome-ignore format: a table is read by its rows
  const refused: [given: Partial<AppDefinition>, path: string][] = [
    [{ name: '' }, '/name'],
    [{ name: ' Pigeon' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ name: 'two\nlines' }, '/name'],
    [{ name: 'turned \u202e around' }, '/name'],
    [{ name: '\ud800' }, '/name'],
    [{ description: 'x'.repeat(301) }, '/description'],
    [{ description: 'a\u2028b' }, '/description'],
    [{ redirectUris: [] }, '/redirectUris'],
    [{ redirectUris: Array.from({ length: 21 }, (_, i) => `https://pigeon.example/${i}`) }, '/redirectUris'],
    [{ redirectUris: ['https://a.example/', 'https://a.example/'] }, '/redirectUris/1'],
    [{ redirectUris: ['https://a.example/', 'http://a.example/'] }, '/redirectUris/1'],
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['openid' as 'catalog:read'] }, '/scopes'],
    [{ mode: 'both' as 'test' }, '/mode'],
    [{ jwks: { keys: [] } }, '/jwks/keys'],
  ]
  test('a usual definition is accepted', () => assert.equal(appProblem(definition), undefined))
  for (const [given, path] of refused)
    test(`refuses ${JSON.stringify(given).slice(0, 60)}`, () => {
      assert.equal(appProblem({ ...definition, ...given })?.path, path)
    })
})

eachEngine('apps', (given) => {
  const now = 1_700_000_000_000
  const jwks = { keys: [{ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'one' }] }

  test('are stored completely, found by id and by name, and listed', async () => {
    const storage = await given.open()
    // The cast holds because Node exports this key with texts only.
    const confidential = {
      ...definition,
      name: 'Ledger',
      scopes,
      mode: 'live',
      jwks: jwks as AppDefinition['jwks'],
    } as const
    const [first, second] = await storage.write(async (tx) => [
      await createApp(tx, definition, now),
      await createApp(tx, confidential, now),
    ])
    assert(first && second)
    assert.deepEqual(first, { ...definition, id: first.id, clientKind: 'public', createdAt: now, disabledAt: null })
    assert.match(first.id, /^app_/)
    assert.equal(second.clientKind, 'confidential')
    assert.deepEqual(second.jwks, { keys: [{ use: 'sig', ...jwks.keys[0] }] })
    const read = await storage.read(async (db) => ({
      byId: await findApp(db, second.id),
      byName: await findAppByName(db, 'Parcel Pigeon'),
      nobody: [await findApp(db, 'app_no'), await findAppByName(db, 'parcel pigeon')],
      all: await listApps(db),
    }))
    assert.deepEqual(read, { byId: second, byName: first, nobody: [undefined, undefined], all: [first, second] })
  })

  test('cannot share a name, even if they are created concurrently', async () => {
    const storage = await given.open()
    const made = await Promise.all([1, 2, 3].map(() => storage.write((tx) => createApp(tx, definition, now))))
    assert.equal(made.filter(Boolean).length, 1)
    assert.equal((await storage.read(listApps)).length, 1)
  })

  test('are updated by name, but never to an invalid definition', async () => {
    const storage = await given.open()
    const app = await storage.write((tx) => createApp(tx, definition, now))
    assert(app)
    const next: AppDefinition = {
      ...definition,
      redirectUris: ['https://new.example/'],
      jwks: jwks as AppDefinition['jwks'],
    }
    assert.equal(await storage.write((tx) => setApp(tx, next, now + 1)), true)
    assert.equal(await storage.write((tx) => setApp(tx, { ...next, name: 'Unknown' }, now + 1)), false)
    const found = await storage.read((db) => findApp(db, app.id))
    assert.deepEqual([found?.redirectUris, found?.clientKind], [['https://new.example/'], 'confidential'])
    await assert.rejects(storage.write((tx) => setApp(tx, { ...next, redirectUris: ['http://a.example'] }, now)))
    assert.equal(await storage.write((tx) => setApp(tx, definition, now + 2)), true)
    assert.equal((await storage.read((db) => findApp(db, app.id)))?.clientKind, 'public')
  })

  test('are disabled only once, and enabled only once', async () => {
    const storage = await given.open()
    const app = await storage.write((tx) => createApp(tx, definition, now))
    assert(app)
    const acts = await storage.write(async (tx) => [
      await disableApp(tx, app.id, now + 1),
      await disableApp(tx, app.id, now + 2),
      (await findApp(tx, app.id))?.disabledAt,
      await enableApp(tx, app.id, now + 3),
      await enableApp(tx, app.id, now + 4),
      (await findApp(tx, app.id))?.disabledAt,
      await disableApp(tx, 'app_no', now),
    ])
    assert.deepEqual(acts, [true, false, now + 1, true, false, null, false])
  })

  test('have their installations listed, for one app or for all; installations without an app are left out', async () => {
    const storage = await given.open()
    const [one, two] = await storage.write(async (tx) => {
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
        values ('mer_1', 'finch', 'Finch', 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
      const made = [await createApp(tx, definition, now), await createApp(tx, { ...definition, name: 'Ledger' }, now)]
      for (const [index, app] of [...made, undefined].entries()) {
        const [grant, granted] = app ? [`grant-${index}`, '["checkout:quote","gone:scope"]'] : [null, null]
        await tx.sql`
          insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at, app_id, grant_id, granted_scopes, approved_by)
          values (${`ins_${index}`}, 'mer_1', ${`I ${index}`}, 'test', '[]', ${now}, ${app?.id ?? null}, ${grant}, ${granted}, 'usr_1')`
      }
      return made
    })
    assert(one && two)
    const [all, ofTwo] = await storage.read(async (db) => [
      await listAppInstallations(db, null),
      await listAppInstallations(db, two.id),
    ])
    assert.deepEqual(
      all.map(({ id }) => id),
      ['ins_1', 'ins_0'],
    )
    assert.deepEqual(ofTwo, [
      {
        id: 'ins_1',
        name: 'I 1',
        appId: two.id,
        appName: 'Ledger',
        merchantSlug: 'finch',
        mode: 'test',
        scopes: ['checkout:quote'],
        approvedBy: 'usr_1',
        createdAt: now,
        endedAt: null,
      },
    ])
  })
})
