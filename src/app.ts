// Assembles the server of one shop database: storage, services, API surfaces and pages.

import { fileURLToPath } from 'node:url'
import { type AdminOperations, adminSurface } from './contract/admin/operations.ts'
import { type Operations, openInterface } from './contract/open/operations.ts'
import { registerPlatformMetrics } from './domain/agents/metrics.ts'
import type { CartTools } from './domain/carts/change.ts'
import { cartOperations } from './domain/carts/operations.ts'
import { catalogOperations } from './domain/catalog/operations.ts'
import { listShopWindows } from './domain/catalog/store.ts'
import { customerHash } from './domain/checkout/customer.ts'
import { createDocumentService } from './domain/checkout/documents.ts'
import { checkoutOperations } from './domain/checkout/operations.ts'
import type { CheckoutPort } from './domain/checkout/port.ts'
import { createReceiptService } from './domain/checkout/receipt.ts'
import { createCheckoutService } from './domain/checkout/service.ts'
import { findMainOrigin, isPageOfMerchant } from './domain/checkout/shophosts.ts'
import { createOrderStatusService } from './domain/checkout/status.ts'
import type { PayTools } from './domain/checkout/tools.ts'
import { createPayTools } from './domain/checkout/tools.ts'
import { createCustomerGate, createVisitorGate } from './domain/customers/gate.ts'
import { customerOperations } from './domain/customers/operations.ts'
import { createCustomerService } from './domain/customers/service.ts'
import { createContact } from './domain/emails/contact.ts'
import { createDiscards } from './domain/emails/discards.ts'
import { registerMailMetrics } from './domain/emails/observe.ts'
import { type MailTools, newEmailCounts } from './domain/emails/send.ts'
import { createTransport } from './domain/emails/smtp.ts'
import { registerPendingMoneyMetrics } from './domain/health/attention.ts'
import { type Copier, createCopier } from './domain/images/copier.ts'
import { type ImageFiles, noImageFiles, openImageFiles } from './domain/images/files.ts'
import { imagePage, readPictureFile } from './domain/images/page.ts'
import type { ReadPicture } from './domain/images/remote.ts'
import { installationOperations } from './domain/merchants/operations.ts'
import { oauthOperations } from './domain/oauth/operations.ts'
import { orderOperations } from './domain/orders/operations.ts'
import { registerPaymentMetrics } from './domain/payments/observe.ts'
import { providerWebhookPage } from './domain/payments/providers/hooks.ts'
import { accountProviders } from './domain/payments/providers/installed.ts'
import type { ProviderUrls } from './domain/payments/providers/registry.ts'
import { createPaymentWatch } from './domain/payments/watch.ts'
import { createReturnService } from './domain/returns/hosted.ts'
import { siteOperations } from './domain/sites/operations.ts'
import { demoSlug } from './domain/sites/places.ts'
import type { SiteContext } from './domain/sites/site.ts'
import { createLegalPages } from './domain/texts/read.ts'
import type { PasswordCost } from './domain/users/password.ts'
import { Dispatcher, type DispatcherParts } from './domain/webhooks/dispatcher.ts'
import { registerWebhookMetrics } from './domain/webhooks/observe.ts'
import { webhookOperations } from './domain/webhooks/operations.ts'
import type { CallOutcome, Sender, SenderOptions, OutgoingCall as WebhookCall } from './domain/webhooks/sender.ts'
import { createWithdrawals, type WithdrawalPort } from './domain/withdrawals/receive.ts'
import { createLimits, throttleWaitMs } from './ops/limits.ts'
import { registerProcessMetrics } from './ops/metrics.ts'
import { createIdentify, type Identify } from './platform/access/identify.ts'
import { createKnownOrigins } from './platform/access/origins.ts'
import { addressBucket } from './platform/access/throttle.ts'
import type { Rate } from './platform/config.ts'
import { type AdminCallers, createAdminGate } from './platform/http/admin.ts'
import type { Connections } from './platform/http/connections.ts'
import { createCursors } from './platform/http/cursors.ts'
import { createKeyGate } from './platform/http/gates.ts'
import { lazyHandlers } from './platform/http/handler.ts'
import type { ShopHosts } from './platform/http/hosts.ts'
import { createBodyLimiter, createReceiveBody } from './platform/http/limiter.ts'
import type { OpenInterfaceCallers, OpenInterfaceHandlers } from './platform/http/open.ts'
import type { HandOffRoute, HtmlPage } from './platform/http/pages.ts'
import { createPressure, type PressureOptions } from './platform/http/pressure.ts'
import { checkReadiness, probePages, type Readiness } from './platform/http/probes.ts'
import { createServer, type HttpServer } from './platform/http/server.ts'
import { type MountedSurface, mountSurface, type SurfaceParts } from './platform/http/surfaces.ts'
import { encryptedAnswerCodec } from './platform/idempotency/once.ts'
import { loadOnce } from './platform/kit/late.ts'
import type { MailTarget } from './platform/kit/mailurl.ts'
import type { MediaTarget } from './platform/kit/mediaurl.ts'
import { type RetentionMs, retentionDefaultsMs } from './platform/kit/retention.ts'
import type { Log } from './platform/log/log.ts'
import { Counts } from './platform/metrics/counts.ts'
import { registerDatabaseMetrics, registerStorageMetrics } from './platform/metrics/database.ts'
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts'
import { createTracer } from './platform/metrics/spans.ts'
import { measureStorage } from './platform/metrics/watched.ts'
import { pageSecretHash } from './platform/secrets/pagesecret.ts'
import { deriveKeys, type RootSecret } from './platform/secrets/secrets.ts'
import { schemaGap } from './platform/storage/migrate.ts'
import type { Storage } from './platform/storage/storage.ts'
import { accountPages, createSavedAddresses } from './web/account/pages.ts'
import { agentRoutes } from './web/agents/routes.ts'
import { contactPage } from './web/checkout/contact.ts'
import { legalPage } from './web/checkout/legal.ts'
import { followMoves } from './web/checkout/moved.ts'
import { checkoutPages } from './web/checkout/pages.ts'
import { withdrawalPages } from './web/checkout/withdrawal.ts'
import { createOAuthPages } from './web/consent/pages.ts'
import { sharedAssets } from './web/dashboard/assets.ts'
import { createDashboard } from './web/dashboard/pages.ts'
import { mediaPage } from './web/docs/media.ts'
import { sitePages } from './web/docs/pages.ts'
import { elementsPage } from './web/elements/pages.ts'
import { isFromHere, mailPages } from './web/emails/pages.ts'
import { prepareEmail } from './web/emails/prepare.ts'
import { createSignInPages } from './web/signin/pages.ts'
import type { PersonReader } from './web/signin/person.ts'

export interface AppParts {
  storage: Storage
  rootSecret: RootSecret
  rateLimit: Rate | null
  trustedProxies: readonly string[]
  // Called for each use: if no public URL is configured, the origin is only known once the port is open.
  publicOrigin: () => string
  version: string
  clock: () => Date
  log: Log
  // Whether webhooks may be sent to http: addresses and private networks. For development.
  webhookAllowPrivate: boolean
  retentionMs?: RetentionMs
  // Mail server or folder to which e-mails are delivered (default: no e-mails are sent).
  mail?: { target: MailTarget; from: string }
  // Where image files are stored (default: only in the database).
  media?: MediaTarget
  // Base URLs that replace those of the payment providers' APIs. For tests.
  providerUrls?: ProviderUrls
  // Replaces the installed account providers. For tests.
  accountProviders?: ReturnType<typeof accountProviders>
  // Handlers that replace those of the open API. For tests.
  extraHandlers?: Partial<OpenInterfaceHandlers>
  // API surfaces to mount besides open, admin and agents.
  extraSurfaces?: (parts: SurfaceParts) => readonly MountedSurface[]
  // Pages to serve besides the built-in ones.
  extraPages?: readonly HtmlPage[]
  extraHandOffs?: readonly HandOffRoute[]
  // Receives webhooks inside this process. Returns undefined for addresses that it does not serve.
  ownReceivers?: ((call: WebhookCall) => CallOutcome | undefined) | undefined
  // Whether this server has storefronts (default: false).
  showsShops?: boolean
  // The shop whose agent profile is served for the whole server: `tea` or `tea/test` (default: the only open shop).
  agentsShop?: string | null
  // Slug of the demo shop, if it may be served.
  demoShop?: string | undefined
  // Lookup of the hosts under which shops are reached.
  shopHosts?: ShopHosts | undefined
  payHooks?: Partial<Pick<PayTools, 'onStep' | 'providers' | 'callMsMax'>>
  // In production, the start page does not list the merchants.
  production?: boolean
  // False if /metrics is served on another port or not at all.
  showsMetrics?: boolean
  // URL of the trace collector, if traces are sent.
  tracesUrl?: string | null
  // True until the demo shop is created and requests can be served. Meanwhile the readiness probe reports that the server is starting.
  isStarting?: () => boolean
  // Limits that tests lower. Each has a default in the file that uses it.
  webhookBounds?: Pick<DispatcherParts, 'callsMax' | 'leaseMs' | 'pollMs'>
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  idleTimeoutMs?: number
  answerTimeoutMs?: number
  connectionsMax?: number
  connectionsPerAddressMax?: number
  // Connections of the server that accepts the requests, if this app has no port of its own.
  connections?: Connections | undefined
  // Metrics to register with (default: new ones for this app).
  metrics?: Metrics | undefined
  // When requests are refused because of overload.
  pressure?: PressureOptions
  refusedDelayMs?: number
  passwordCost?: PasswordCost
}

export interface App {
  server: HttpServer
  identify: Identify
  cartTools: CartTools
  payTools: PayTools
  checkout: CheckoutPort
  withdrawals: WithdrawalPort
  publicOrigin: () => string
  // Let the pages of this process perform operations without HTTP.
  open: MountedSurface
  admin: MountedSurface
  // Finds the user who is signed in.
  personOf: PersonReader
  sites: SiteContext
  imageFiles: ImageFiles
  copier: Copier
  // Downloads pictures of imported products from other servers.
  readPicture: ReadPicture
  // Null if no e-mails are sent.
  mail: MailTools | null
  // Sends due webhooks once it is started.
  dispatcher: Dispatcher
  metrics: Metrics
  // The answer of the readiness probe.
  readiness(): Promise<Readiness>
  // From now on the readiness probe reports that the server is not ready, so load balancers send requests elsewhere.
  beginDraining(): void
  close(): void
}

export function createApp(parts: AppParts): App {
  const platform = createPlatform(parts)
  const domain = createDomain(platform)
  const people = createPeople(platform)
  const surfaces = createSurfaces(platform, domain, people)
  observe(platform, domain)
  const server = createServer({
    ...platform,
    surfaces: [surfaces.open, surfaces.admin, surfaces.agents, ...(parts.extraSurfaces?.(surfaces.parts) ?? [])],
    pages: pagesOf(platform, domain, people, surfaces),
    handOffs: [...people.oauth.handOffs, ...people.staff.handOffs, ...(parts.extraHandOffs ?? [])],
    isHttps: () => parts.publicOrigin().startsWith('https:'),
    waitMs: (kind, address, cost) =>
      platform.limits[addressLimits[kind]]?.take(addressBucket(address), parts.clock().getTime(), cost) ?? 0,
  })
  return {
    ...domain,
    server,
    identify: platform.identify,
    publicOrigin: parts.publicOrigin,
    open: surfaces.open,
    admin: surfaces.admin,
    personOf: people.personOf,
    metrics: platform.metrics,
    readiness: platform.readiness,
    beginDraining: platform.beginDraining,
    close: () => {
      people.close()
      domain.copier.close()
      domain.mail?.transport.close()
      platform.pressure.close()
      platform.metrics.close()
      // Not awaited: the process does not exit while the last spans are being sent.
      void platform.tracer?.close()
    },
  }
}

// The rate limit that requests for a page count against.
const addressLimits = { look: 'looksOfAddress', post: 'postsOfAddress' } as const

type Platform = ReturnType<typeof createPlatform>
type Domain = ReturnType<typeof createDomain>
type People = ReturnType<typeof createPeople>
type Surfaces = ReturnType<typeof createSurfaces>

function createPlatform(parts: AppParts) {
  const { rootSecret, version, log } = parts
  const storage = measureStorage(parts.storage)
  const metrics = parts.metrics ?? createMetrics()
  return {
    ...parts,
    storage,
    metrics,
    retentionMs: parts.retentionMs ?? retentionDefaultsMs,
    identify: createIdentify({ storage, rootSecret }),
    pressure: createPressure(parts.pressure),
    // Requests whose body is still arriving: far fewer than the connections that may be open.
    bodyLimiter: createBodyLimiter(2_000),
    limits: createLimits(parts.rateLimit),
    tracer: parts.tracesUrl ? createTracer({ url: parts.tracesUrl, version, log, metrics }) : undefined,
    signIns: new Counts(),
    agentCalls: new Counts(),
    profileReads: new Counts(),
    ...createReadiness(parts, storage),
  }
}

function createReadiness({ isStarting = () => false }: AppParts, storage: Storage) {
  const checkWrites = oneAtATime(() => storage.checkWrites())
  let isDraining = false
  return {
    beginDraining: () => {
      isDraining = true
    },
    readiness: () =>
      checkReadiness({
        isDraining: () => isDraining,
        isStarting,
        schemaGap: () => schemaGap(storage),
        checkWrites,
      }),
  }
}

function createDomain(platform: Platform) {
  const { storage, rootSecret, publicOrigin, clock, log, version, retentionMs } = platform
  const watch = createPaymentWatch(log, () => clock().getTime())
  const payTools: PayTools = {
    ...createPayTools({
      storage,
      rootSecret,
      publicOrigin,
      clock,
      watch,
      cartsIdleMs: retentionMs.carts,
      boundsTries: platform.rateLimit !== null,
      providerUrls: platform.providerUrls ?? {},
    }),
    ...platform.payHooks,
  }
  const orderNotices = loadOnce(async () => {
    const { createOrderNotices } = await import('./web/agents/notices.ts')
    return createOrderNotices({ storage, rootSecret, publicOrigin, clock })
  })
  const loadReadPicture = loadOnce(async () => {
    const { createReadPicture } = await import('./domain/images/remote.ts')
    return createReadPicture(platform.webhookAllowPrivate)
  })
  const readPicture: ReadPicture = async (address) => (await loadReadPicture())(address)
  const imageFiles = platform.media ? openImageFiles(platform.media, () => clock().getTime()) : noImageFiles
  const sites: SiteContext = { publicOrigin, showsShops: platform.showsShops ?? false, demo: platform.demoShop }
  return {
    payTools,
    cartTools: payTools.carts,
    checkout: createCheckoutService(payTools),
    withdrawals: createWithdrawals({
      storage,
      rootSecret,
      clock,
      emailHash: async (tx, merchantId, email, now) =>
        customerHash(await payTools.customerKey(tx, now), merchantId, email),
    }),
    customers: createCustomerService({ storage, rootSecret, clock, customerKey: payTools.customerKey }),
    dispatcher: new Dispatcher({
      storage,
      sender: lateSender({ allowPrivate: platform.webhookAllowPrivate }, platform.ownReceivers),
      rootSecret,
      clock,
      log,
      version,
      platformCall: async (claimed) => (await orderNotices())(claimed),
      ...platform.webhookBounds,
    }),
    sites,
    imageFiles,
    copier: createCopier(),
    readPicture,
    mail: mailTools(platform, payTools, imageFiles),
  }
}

// Sign-in and OAuth consent, for the dashboard and for apps.
function createPeople(platform: Platform) {
  const { storage, rootSecret, publicOrigin, clock, log, passwordCost, signIns, identify, limits } = platform
  const common = { storage, rootSecret, publicOrigin, clock, log, passwordCost, signIns }
  const knownOrigins = createKnownOrigins(storage)
  // A key ends with its installation, possibly on another node, so the caches of keys and origins are cleared.
  const unlisten = storage.listen('credentials', () => {
    identify.forgetAll()
    knownOrigins.forgetAll()
  })
  const loadPersonReader = loadOnce(async () => {
    const { createPersonReader } = await import('./web/signin/person.ts')
    return createPersonReader({ storage, rootSecret, publicOrigin, clock })
  })
  const personOf: PersonReader = async (raw) => (await loadPersonReader())(raw)
  return {
    knownOrigins,
    oauth: createOAuthPages({
      ...common,
      throttle: limits.oauth,
      beginThrottle: limits.installing,
      documentThrottle: limits.clientDocuments,
    }),
    staff: createSignInPages({ ...common, throttle: limits.signIn, fetchedAhead: sharedAssets }),
    personOf,
    close: unlisten,
  }
}

function createSurfaces(platform: Platform, domain: Domain, { knownOrigins, oauth }: People) {
  const { storage, rootSecret, identify, publicOrigin, version, clock, limits, retentionMs } = platform
  const { payTools, sites } = domain
  const parts: SurfaceParts = {
    storage,
    throttles: limits.surfaces,
    receive: createReceiveBody(platform.bodyLimiter, platform.pressure),
    cursors: createCursors(deriveKeys(rootSecret, 'list cursor')),
    isKnownOrigin: knownOrigins.has,
    sealedKeeper: encryptedAnswerCodec(rootSecret),
    answersMs: retentionMs.answers,
    clock,
  }
  const keyGate = createKeyGate(identify.identify)
  const gates = {
    key: keyGate,
    visitor: createVisitorGate(keyGate),
    customer: createCustomerGate(keyGate, { storage, rootSecret }),
    oauth: oauth.gate,
  }
  const open = mountSurface<Operations, OpenInterfaceCallers>(parts, {
    surface: openInterface,
    handlers: openHandlers(platform, domain),
    gates,
  })
  const admin = mountSurface<AdminOperations, AdminCallers>(parts, {
    surface: adminSurface,
    handlers: lazyHandlers(adminSurface.operations, lateAdminHandlers(platform, domain)),
    gates: { key: createAdminGate(gates) },
  })
  const agents = agentRoutes(
    {
      calls: platform.agentCalls,
      profileReads: platform.profileReads,
      tools: payTools,
      open,
      identify: identify.identify,
      allowPrivate: platform.webhookAllowPrivate,
      receive: parts.receive,
      sealedKeeper: parts.sealedKeeper,
      answersMs: parts.answersMs,
      sites,
      isLimited: platform.rateLimit !== null,
      version,
      mainShop: platform.agentsShop ?? null,
    },
    { ...parts, admin, gate: createAdminGate(gates), assistantGate: oauth.assistantGate, publicOrigin, version },
  )
  return { parts, open, admin, agents }
}

function openHandlers(platform: Platform, { payTools, sites }: Domain): OpenInterfaceHandlers {
  const { rootSecret, rateLimit, publicOrigin, identify, retentionMs } = platform
  return {
    ...installationOperations(rateLimit),
    ...catalogOperations(publicOrigin),
    ...siteOperations(sites),
    ...cartOperations({ rootSecret, tools: payTools.carts }),
    ...checkoutOperations(payTools),
    ...orderOperations({ rootSecret, publicOrigin }),
    ...customerOperations({ rootSecret, publicOrigin, customerKey: payTools.customerKey }),
    ...webhookOperations({ rootSecret, textsMs: retentionMs.texts }),
    ...oauthOperations({ rootSecret, publicOrigin, forget: identify.forget }),
    ...platform.extraHandlers,
  }
}

function lateAdminHandlers(platform: Platform, { payTools, sites }: Domain) {
  const { rootSecret, publicOrigin, identify, clock, limits, retentionMs } = platform
  const providerUrls = platform.providerUrls ?? {}
  return loadOnce(async () => {
    const { adminHandlersFor } = await import('./ops/handlers.ts')
    return adminHandlersFor(
      {
        rootSecret,
        publicOrigin,
        sites,
        forget: identify.forget,
        allowPrivate: platform.webhookAllowPrivate,
        textsMs: retentionMs.texts,
        withAccount: platform.accountProviders ?? accountProviders(providerUrls, clock),
        providerUrls,
        accountThrottle: limits.paymentAccounts,
        clock,
      },
      payTools,
    )
  })
}

function pagesOf(platform: Platform, domain: Domain, people: People, { admin }: Surfaces): HtmlPage[] {
  const { storage, publicOrigin, clock, limits } = platform
  return [
    ...frontPages(platform),
    ...probePages({
      metrics: platform.showsMetrics === false ? null : platform.metrics,
      readiness: platform.readiness,
    }),
    ...shopperPages(platform, domain),
    elementsPage(),
    ...accountPages({ customers: domain.customers, origin: publicOrigin }),
    providerWebhookPage({ ...domain.payTools, refusedThrottle: limits.refusedProviderWebhooks }),
    ...mailFolderPages(platform),
    ...people.oauth.pages,
    ...people.staff.pages,
    ...createDashboard({
      admin,
      personOf: people.personOf,
      accountOf: people.staff.accountOf,
      publicOrigin,
      clock,
      sendsMail: domain.mail !== null,
    }),
    ...(platform.extraPages ?? []),
    imagePage(storage, domain.imageFiles),
    mediaPage(fileURLToPath(new URL('../apps/demo/media/', import.meta.url))),
  ]
}

function frontPages(platform: Platform): HtmlPage[] {
  const { storage, publicOrigin, version } = platform
  const mailFolder = mailFolderOf(platform)
  let hasDemoShop = false
  return sitePages({
    origin: publicOrigin,
    version,
    engine: storage.engine,
    listShops: async () => {
      if (platform.production) return null
      const shops = await storage.read(listShopWindows)
      hasDemoShop = shops.some(({ slug }) => slug === demoSlug)
      return shops.map(({ slug, name, productSlug }) => ({ slug, name, productSlug: productSlug ?? undefined }))
    },
    demo: () => hasDemoShop,
    hasEmails: (request) => mailFolder !== null && isFromHere(request),
  })
}

// Returns the folder that e-mails are written to, or null in production and if they are sent elsewhere.
function mailFolderOf({ production, mail }: Pick<AppParts, 'production' | 'mail'>): string | null {
  return !production && mail?.target.kind === 'file' ? mail.target.folder : null
}

function mailFolderPages(platform: Platform): HtmlPage[] {
  const folder = mailFolderOf(platform)
  return folder === null ? [] : mailPages(folder)
}

function shopperPages(platform: Platform, domain: Domain): HtmlPage[] {
  const { storage, rootSecret, publicOrigin, clock, limits } = platform
  const { checkout, withdrawals, customers, cartTools, mail } = domain
  const now = () => clock().getTime()
  return [
    ...followMoves(
      storage,
      checkoutPages({
        checkout,
        orderStatus: createOrderStatusService(storage, cartTools.pictureUrl),
        isOfMerchant: (kind, secret, merchantId) =>
          storage.read((db) => isPageOfMerchant(db, kind, pageSecretHash(secret), merchantId)),
        shopOriginOf: (slug) => storage.read((db) => findMainOrigin(db, slug, publicOrigin())),
        receipt: createReceiptService(storage),
        requestReturn: createReturnService(storage, rootSecret, clock),
        hasAccounts: mail !== null,
        saved: createSavedAddresses({ customers, origin: publicOrigin }),
        document: createDocumentService(storage, rootSecret),
        origin: publicOrigin,
        clock,
        postWaitMs: (secret) => limits.postsOfSession?.take(pageSecretHash(secret), now()) ?? 0,
      }),
    ),
    legalPage(createLegalPages(storage, clock)),
    ...withdrawalPages({
      withdrawals,
      origin: publicOrigin,
      sendsMail: mail !== null,
      waitMs: (shopId, address) =>
        throttleWaitMs(
          { ofAddress: limits.withdrawalsOfAddress, ofShop: limits.withdrawalsOfShop },
          { shopId, address, now: now() },
        ),
    }),
    contactPage({
      contact: createContact({ storage, rootSecret, clock }),
      origin: publicOrigin,
      waitMs: (shopId, address) =>
        throttleWaitMs(
          { ofAddress: limits.messagesOfAddress, ofShop: limits.messagesOfShop },
          { shopId, address, now: now() },
        ),
    }),
  ]
}

function observe(platform: Platform, { dispatcher, payTools, mail }: Domain): void {
  const { metrics, storage, clock } = platform
  registerStorageMetrics(metrics, storage)
  registerDatabaseMetrics(metrics, storage)
  registerWebhookMetrics(metrics, { storage, dispatcher, clock })
  registerPaymentMetrics(metrics, payTools.watch)
  registerPendingMoneyMetrics(metrics, storage, clock)
  registerPlatformMetrics(metrics, storage)
  if (mail) registerMailMetrics(metrics, mail)
  registerProcessMetrics(metrics, platform)
}

// Calls share the run in progress, so the database is asked once at a time.
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

// The sender and its HTTP client are loaded when the first webhook is sent.
function lateSender(options: SenderOptions, ownReceivers: AppParts['ownReceivers']): Sender {
  let made: Sender | undefined
  const sender = loadOnce(async () => {
    const { createSender } = await import('./domain/webhooks/sender.ts')
    made = createSender(options)
    return made
  })
  return {
    send: async (call) => ownReceivers?.(call) ?? (await sender()).send(call),
    close: async () => made?.close(),
  }
}

type MailParts = Pick<AppParts, 'mail' | 'storage' | 'clock' | 'log'>

function mailTools(
  { mail, storage, clock, log }: MailParts,
  tools: PayTools,
  imageFiles: ImageFiles,
): MailTools | null {
  if (!mail || mail.target.kind === 'off') return null
  const transport = createTransport(mail.target, mail.from)
  return {
    storage,
    clock,
    log,
    transport,
    prepare: (db, email) => prepareEmail(tools, db, email),
    picture: (path) => readPictureFile(storage, imageFiles, path),
    counts: newEmailCounts(),
    discards: createDiscards(log),
    health: { isFailing: false },
    stop: new AbortController(),
  }
}
