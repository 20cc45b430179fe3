import type { pageOperationRows } from '../../src/contract/admin/pages.ts'
import type { redirectOperationRows } from '../../src/contract/admin/redirects.ts'
import type { siteOperationRows } from '../../src/contract/admin/site.ts'
import { unusedName } from './catalog.ts'
import type { AdminTestServer, Given } from './world.ts'

const siteOf = async (testServer: AdminTestServer) => (await testServer.askAdmin('getAdminSite')).body.data

async function become(testServer: AdminTestServer, id: 'openAdminSite' | 'closeAdminSite'): Promise<void> {
  const { version: expectedVersion } = await siteOf(testServer)
  await testServer.askAdmin(id, { body: { expectedVersion, idempotencyKey: crypto.randomUUID() } })
}

export const siteGivens: Readonly<Record<keyof typeof siteOperationRows, Given>> = {
  getAdminSite: async () => ({}),
  replaceAdminSite: async (testServer) => {
    const { version: expectedVersion, published, draft } = await siteOf(testServer)
    const isDark = (draft ?? published).look.scheme === 'dark'
    const look = { ...published.look, scheme: isDark ? ('light' as const) : ('dark' as const) }
    return { body: { ...published, look, expectedVersion } }
  },
  publishAdminSite: async (testServer) => {
    const { version, published } = await siteOf(testServer)
    const color = published.look.color === '#7a1f3d' ? '#2c4c3e' : '#7a1f3d'
    const body = { ...published, look: { ...published.look, color }, expectedVersion: version }
    await testServer.askAdmin('replaceAdminSite', { body: { ...body, idempotencyKey: crypto.randomUUID() } })
    return { body: { expectedVersion: (await siteOf(testServer)).version } }
  },
  openAdminSite: async (testServer) => {
    await become(testServer, 'closeAdminSite')
    return { body: { expectedVersion: (await siteOf(testServer)).version } }
  },
  closeAdminSite: async (testServer) => {
    await become(testServer, 'openAdminSite')
    return { body: { expectedVersion: (await siteOf(testServer)).version } }
  },
  addAdminHost: async (testServer) => {
    await withoutHosts(testServer)
    return { body: { host: `${unusedName('tea')}.example.com` } }
  },
  checkAdminHost: async (testServer) => ({ path: { host: await addedHost(testServer) }, body: {} }),
  makeAdminHostMain: async (testServer) => ({ path: { host: await addedHost(testServer, true) }, body: {} }),
  removeAdminHost: async (testServer) => ({ path: { host: await addedHost(testServer) }, body: {} }),
}

async function withoutHosts({ storage, merchantId }: AdminTestServer): Promise<void> {
  await storage.write((tx) => tx.sql`delete from site_hosts where merchant_id = ${merchantId}`)
}

async function addedHost(testServer: AdminTestServer, isProved = false): Promise<string> {
  const host = `${unusedName('tea')}.example.com`
  await withoutHosts(testServer)
  await testServer.askAdmin('addAdminHost', { body: { host, idempotencyKey: crypto.randomUUID() } })
  if (isProved) await testServer.storage.write((tx) => tx.sql`update site_hosts set proved_at = 1 where host = ${host}`)
  return host
}

async function addedPage(testServer: AdminTestServer): Promise<{ slug: string; expectedVersion: number }> {
  const slug = unusedName('page')
  await clearPages(testServer)
  await testServer.askAdmin('createAdminPage', { body: { ...pageOf(slug), idempotencyKey: crypto.randomUUID() } })
  return { slug, expectedVersion: 1 }
}

async function clearPages({ storage, merchantId }: AdminTestServer): Promise<void> {
  await storage.write((tx) => tx.sql`delete from site_pages where merchant_id = ${merchantId}`)
}

const pageOf = (slug: string) => ({ slug, title: unusedName('Page'), bodyHtml: '<p>Text</p>' })

export const pageGivens: Readonly<Record<keyof typeof pageOperationRows, Given>> = {
  getAdminPages: async () => ({}),
  getAdminPage: async (testServer) => ({ path: { slug: (await addedPage(testServer)).slug } }),
  createAdminPage: async (testServer) => {
    await clearPages(testServer)
    return { body: pageOf(unusedName('page')) }
  },
  replaceAdminPage: async (testServer) => {
    const { slug, expectedVersion } = await addedPage(testServer)
    const { slug: _, ...members } = pageOf(slug)
    return { path: { slug }, body: { ...members, expectedVersion } }
  },
  removeAdminPage: async (testServer) => {
    const { slug, expectedVersion } = await addedPage(testServer)
    return { path: { slug }, body: { expectedVersion } }
  },
}

async function addedRedirect(testServer: AdminTestServer): Promise<{ redirectId: string }> {
  const body = { from: `/${unusedName('old')}`, to: '/about', idempotencyKey: crypto.randomUUID() }
  return { redirectId: (await testServer.askAdmin('createAdminRedirect', { body })).body.data.id }
}

export const redirectGivens: Readonly<Record<keyof typeof redirectOperationRows, Given>> = {
  listAdminRedirects: async () => ({}),
  getAdminRedirect: async (testServer) => ({ path: await addedRedirect(testServer) }),
  createAdminRedirect: async () => ({ body: { from: `/${unusedName('old')}`, to: null } }),
  replaceAdminRedirect: async (testServer) => ({
    path: await addedRedirect(testServer),
    body: { expectedVersion: 1, to: null },
  }),
  removeAdminRedirect: async (testServer) => ({
    path: await addedRedirect(testServer),
    body: { expectedVersion: 1 },
  }),
}
