// What one process consists of: storage below, the surfaces and their handlers on top, the pages beside. Everything that one
// request can meet is named here.

import { fileURLToPath } from 'node:url'
import { type AdminOperations, adminSurface } from './contract/admin/operations.ts'
import { type Operations, openSurface } from './contract/open/operations.ts'
import { observePlatforms } from './domain/agents/metrics.ts'
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
import { observeMail } from './domain/emails/observe.ts'
import { type MailTools, newCounts } from './domain/emails/send.ts'
import { createTransport } from './domain/emails/smtp.ts'
import { observePendingMoney } from './domain/health/attention.ts'
import { type Copier, createCopier } from './domain/images/copier.ts'
import { filesNowhere, type ImageFiles, openImageFiles } from './domain/images/files.ts'
import { imagePage } from './domain/images/page.ts'
import type { ReadPicture } from './domain/images/remote.ts'
import { installationOperations } from './domain/merchants/operations.ts'
import { oauthOperations } from './domain/oauth/operations.ts'
import { orderOperations } from './domain/orders/operations.ts'
import { providerWebhookPage } from './domain/payments/providers/hooks.ts'
import { accountProviders } from './domain/payments/providers/installed.ts'
import type { ProviderUrls } from './domain/payments/providers/registry.ts'
import { createPaymentWatch, type PaymentWatch } from './domain/payments/watch.ts'
import { createReturnService } from './domain/returns/hosted.ts'
import { siteOperations } from './domain/sites/operations.ts'
import { demoSlug } from './domain/sites/places.ts'
import type { SiteContext } from './domain/sites/site.ts'
import { createLegalPages } from './domain/texts/read.ts'
import type { PasswordCost } from './domain/users/password.ts'
import { Dispatcher, type DispatcherParts } from './domain/webhooks/dispatcher.ts'
import { observeWebhooks } from './domain/webhooks/observe.ts'
import { webhookOperations } from './domain/webhooks/operations.ts'
import type { CallOutcome, Sender, SenderOptions, Call as WebhookCall } from './domain/webhooks/sender.ts'
import { createWithdrawals, type WithdrawalPort } from './domain/withdrawals/receive.ts'
import { createIdentify, type Identify } from './platform/access/identify.ts'
import { createKnownOrigins } from './platform/access/origins.ts'
import { addressBucket, createThrottle, type Throttle } from './platform/access/throttle.ts'
import type { Rate } from './platform/config.ts'
import { type AdminCallers, createAdminGate } from './platform/http/admin.ts'
import type { Throttles } from './platform/http/admission.ts'
import { createCursors } from './platform/http/cursors.ts'
import { createKeyGate } from './platform/http/gates.ts'
import { lateHandlers } from './platform/http/handler.ts'
import type { ShopHosts } from './platform/http/hosts.ts'
import { createBodyLimiter, createReceive } from './platform/http/limiter.ts'
import type { OpenCallers, OpenHandlers } from './platform/http/open.ts'
import type { HandOff, HtmlPage } from './platform/http/pages.ts'
import { createPressure, type PressureOptions } from './platform/http/pressure.ts'
import { probePages } from './platform/http/probes.ts'
import { createServer, type HttpServer } from './platform/http/server.ts'
import { type MountedSurface, mountSurface, type SurfaceParts } from './platform/http/surfaces.ts'
import { sealedKeeper } from './platform/idempotency/once.ts'
import { late } from './platform/kit/late.ts'
import type { MailTarget } from './platform/kit/mailurl.ts'
import type { MediaTarget } from './platform/kit/mediaurl.ts'
import { type RetentionMs, retentionDefaultsMs } from './platform/kit/retention.ts'
import type { Log } from './platform/log/log.ts'
import { Counts, samplesBy } from './platform/metrics/counts.ts'
import { observeDatabase } from './platform/metrics/database.ts'
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts'
import { createTracer } from './platform/metrics/spans.ts'
import { watchedStorage } from './platform/metrics/watched.ts'
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
import { documentsOfNetwork } from './web/consent/documents.ts'
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
  // Asked at each use: before the port is open, an origin on this machine is not known yet.
  publicOrigin: () => string
  version: string
  clock: () => Date
  log: Log
  // Webhooks may go to http addresses and private networks: for development.
  webhookAllowPrivate: boolean
  retentionMs?: RetentionMs
  // Where e-mails go (default: nowhere).
  mail?: { target: MailTarget; from: string }
  // Where pictures are stored (default: nowhere; they stay in the database).
  media?: MediaTarget
  // Where the APIs of payment providers are, in the place of their own addresses. For tests.
  providerUrls?: ProviderUrls
  // Providers that work with accounts, in the place of the installed ones. For tests.
  accountProviders?: ReturnType<typeof accountProviders>
  // In the place of the usual ones, for tests.
  extraHandlers?: Partial<OpenHandlers>
  // Surfaces beside the open one.
  extraSurfaces?: (parts: SurfaceParts) => readonly MountedSurface[]
  // Pages beside the server's own.
  extraPages?: readonly HtmlPage[]
  extraHandOffs?: readonly HandOff[]
  // Receivers of webhooks inside this process: undefined for every address that is not one of theirs.
  ownReceivers?: ((call: WebhookCall) => CallOutcome | undefined) | undefined
  // Whether some of these pages show the shops of merchants (default: none).
  showsShops?: boolean
  // The shop whose profile for agents is that of the whole server (default: the only one that is open).
  agentsShop?: string | null
  // The slug of the demo shop, where it may be shown.
  demoShop?: string | undefined
  // The names by which shops are reached.
  shopHosts?: ShopHosts | undefined
  payHooks?: Partial<Pick<PayTools, 'onStep' | 'providers' | 'callMsMax'>>
  // True for a public place, whose start page names no merchants.
  production?: boolean
  // False where /metrics is answered elsewhere, or nowhere.
  showsMetrics?: boolean
  // The collector of traces, if there is one.
  tracesUrl?: string | null
  // True from the opening of the port until the first shop is made. The readiness probe says no meanwhile.
  isStarting?: () => boolean
  // Bounds that tests narrow. Each has a default where it applies.
  webhookBounds?: Pick<DispatcherParts, 'callsMax' | 'leaseMs' | 'pollMs'>
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  idleTimeoutMs?: number
  answerTimeoutMs?: number
  connectionsMax?: number
  connectionsPerAddressMax?: number
  // When requests are refused instead of answered late.
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
  // For pages of the process: operations are performed without HTTP.
  open: MountedSurface
  admin: MountedSurface
  // Who is signed in.
  personOf: PersonReader
  sites: SiteContext
  imageFiles: ImageFiles
  copier: Copier
  // Reads pictures of imported products from other servers.
  readPicture: ReadPicture
  // Null where no e-mails are sent.
  mail: MailTools | null
  // Sends what endpoints are owed, once it is started.
  dispatcher: Dispatcher
  metrics: Metrics
  // From now on the readiness probe says no, so balancers look elsewhere while the rest is finished.
  beginDraining(): void
  close(): void
}

export function createApp(parts: AppParts): App {
  const { rootSecret, rateLimit, publicOrigin, version, clock, log, retentionMs = retentionDefaultsMs } = parts
  const storage = watchedStorage(parts.storage)
  const identify = createIdentify({ storage, rootSecret })
  const knownOrigins = createKnownOrigins(storage)
  const metrics = createMetrics()
  const pressure = createPressure(parts.pressure)
  // Far fewer than connections may be open.
  const bodyLimiter = createBodyLimiter(2_000)
  let draining = false
  let hasDemoShop = false

  const watch = createPaymentWatch(log, () => clock().getTime())
  const payTools: PayTools = {
    ...createPayTools({
      storage,
      rootSecret,
      publicOrigin,
      clock,
      watch,
      cartsIdleMs: retentionMs.carts,
      boundsTries: rateLimit !== null,
      providerUrls: parts.providerUrls ?? {},
    }),
    ...parts.payHooks,
  }
  const cartTools = payTools.carts
  const checkout = createCheckoutService(payTools)
  const withdrawals = createWithdrawals({
    storage,
    rootSecret,
    clock,
    emailHash: async (tx, merchantId, email, now) =>
      customerHash(await payTools.customerKey(tx, now), merchantId, email),
  })
  const orderNotices = late(async () => {
    const { createOrderNotices } = await import('./web/agents/notices.ts')
    return createOrderNotices({ storage, rootSecret, publicOrigin, clock })
  })
  const dispatcher = new Dispatcher({
    storage,
    sender: lateSender({ allowPrivate: parts.webhookAllowPrivate }, parts.ownReceivers),
    rootSecret,
    clock,
    log,
    version,
    platformCall: async (claimed) => (await orderNotices())(claimed),
    ...parts.webhookBounds,
  })
  const sites: SiteContext = {
    publicOrigin,
    showsShops: parts.showsShops ?? false,
    demo: parts.demoShop,
  }
  const handlers: OpenHandlers = {
    ...installationOperations(rateLimit),
    ...catalogOperations(publicOrigin),
    ...siteOperations(sites),
    ...cartOperations({ rootSecret, tools: cartTools }),
    ...checkoutOperations(payTools),
    ...orderOperations({ rootSecret, publicOrigin }),
    ...customerOperations({ rootSecret, publicOrigin, customerKey: payTools.customerKey }),
    ...webhookOperations({ rootSecret, textsMs: retentionMs.texts }),
    ...oauthOperations({ rootSecret, publicOrigin, forget: identify.forget }),
    ...parts.extraHandlers,
  }
  const signIns = new Counts()
  const oauth = createOAuthPages({
    storage,
    rootSecret,
    publicOrigin,
    clock,
    log,
    throttle: rateLimit && createThrottle({ perSecond: 20, burst: 60 }),
    beginThrottle: rateLimit && createThrottle({ perSecond: 2, burst: 60 }),
    documentThrottle: rateLimit && createThrottle(documentsOfNetwork),
    passwordCost: parts.passwordCost,
    signIns,
  })
  const staff = createSignInPages({
    storage,
    rootSecret,
    publicOrigin,
    clock,
    log,
    throttle: rateLimit && createThrottle({ perSecond: 20, burst: 60 }),
    passwordCost: parts.passwordCost,
    signIns,
    fetchedAhead: sharedAssets,
  })
  // Keys end with their installation, here or on another node.
  const unlisten = storage.listen('credentials', () => {
    identify.forgetAll()
    knownOrigins.forgetAll()
  })
  const surfaceParts: SurfaceParts = {
    storage,
    throttles: throttlesFor(rateLimit),
    receive: createReceive(bodyLimiter, pressure),
    cursors: createCursors(deriveKeys(rootSecret, 'list cursor')),
    isKnownOrigin: knownOrigins.has,
    sealedKeeper: sealedKeeper(rootSecret),
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
  const open = mountSurface<Operations, OpenCallers>(surfaceParts, { surface: openSurface, handlers, gates })
  const loadAdminHandlers = late(async () => {
    const { adminHandlersFor } = await import('./ops/handlers.ts')
    return adminHandlersFor(
      {
        rootSecret,
        publicOrigin,
        sites,
        forget: identify.forget,
        allowPrivate: parts.webhookAllowPrivate,
        textsMs: retentionMs.texts,
        withAccount: parts.accountProviders ?? accountProviders(parts.providerUrls ?? {}, clock),
        providerUrls: parts.providerUrls ?? {},
        accountThrottle: rateLimit && createThrottle(accountsOfMerchant),
        clock,
      },
      payTools,
    )
  })
  const admin = mountSurface<AdminOperations, AdminCallers>(surfaceParts, {
    surface: adminSurface,
    handlers: lateHandlers(adminSurface.operations, loadAdminHandlers),
    gates: { key: createAdminGate(gates) },
  })
  const agentCalls = new Counts()
  const profileReads = new Counts()
  const agents = agentRoutes(
    {
      calls: agentCalls,
      profileReads,
      tools: payTools,
      open,
      identify: identify.identify,
      allowPrivate: parts.webhookAllowPrivate,
      receive: surfaceParts.receive,
      sealedKeeper: surfaceParts.sealedKeeper,
      answersMs: retentionMs.answers,
      sites,
      isLimited: rateLimit !== null,
      version,
      mainShop: parts.agentsShop ?? null,
    },
    { ...surfaceParts, admin, gate: createAdminGate(gates), assistantGate: oauth.assistantGate, publicOrigin, version },
  )
  const loadPersonReader = late(async () => {
    const { createPersonReader } = await import('./web/signin/person.ts')
    return createPersonReader({ storage, rootSecret, publicOrigin, clock })
  })
  const personOf: PersonReader = async (raw) => (await loadPersonReader())(raw)
  const imageFiles = parts.media ? openImageFiles(parts.media, () => clock().getTime()) : filesNowhere
  const copier = createCopier()
  const loadReadPicture = late(async () => {
    const { createReadPicture } = await import('./domain/images/remote.ts')
    return createReadPicture(parts.webhookAllowPrivate)
  })
  observeStorage(metrics, storage)
  observeDatabase(metrics, storage)
  observeWebhooks(metrics, { storage, dispatcher, clock })
  observePayments(metrics, watch)
  observePendingMoney(metrics, storage, clock)
  observePlatforms(metrics, storage)
  const mail = mailTools(parts, payTools)
  if (mail) observeMail(metrics, mail)
  const mailFolder = !parts.production && parts.mail?.target.kind === 'file' ? parts.mail.target.folder : null
  metrics.read({
    name: 'cartwright_sign_ins_total',
    help: 'Attempts to sign in, by method and outcome.',
    type: 'counter',
    values: () => signIns.samples(),
  })
  metrics.read({
    name: 'cartwright_agent_calls_total',
    help: 'Calls of agents and assistants, by protocol, tool and outcome.',
    type: 'counter',
    values: () => agentCalls.samples(),
  })
  metrics.read({
    name: 'cartwright_agent_profile_reads_total',
    help: 'Profiles of platforms that were read, by outcome.',
    type: 'counter',
    values: () => profileReads.samples(),
  })
  metrics.read({
    name: 'cartwright_build_info',
    help: 'The version that runs.',
    type: 'gauge',
    values: () => [{ labels: { version }, value: 1 }],
  })
  metrics.read({
    name: 'cartwright_requests_in_flight',
    help: 'Requests under way.',
    type: 'gauge',
    values: () => pressure.inFlight,
  })
  metrics.read({
    name: 'cartwright_requests_shed_total',
    help: 'Requests refused to keep the process alive.',
    type: 'counter',
    values: () => pressure.shed,
  })
  metrics.read({
    name: 'cartwright_log_lines_dropped_total',
    help: 'Log lines dropped because the output could not keep up.',
    type: 'counter',
    values: () => log.dropped,
  })

  const byAddress = {
    post: rateLimit && createThrottle(postsOfAddress),
    look: rateLimit && createThrottle(looksOfAddress),
  }
  const withdrawalThrottles = rateLimit && {
    address: createThrottle(withdrawalsOfAddress),
    shop: createThrottle(withdrawalsOfShop),
  }
  const contactThrottles = rateLimit && {
    address: createThrottle(messagesOfAddress),
    shop: createThrottle(messagesOfShop),
  }
  const customers = createCustomerService({ storage, rootSecret, clock, customerKey: payTools.customerKey })
  const tracer = parts.tracesUrl ? createTracer({ url: parts.tracesUrl, version, log, metrics }) : undefined
  const postsBySession = rateLimit && createThrottle(postsOfSession)
  const server = createServer({
    surfaces: [open, admin, agents, ...(parts.extraSurfaces?.(surfaceParts) ?? [])],
    pages: [
      ...sitePages({
        origin: publicOrigin,
        version,
        engine: storage.engine,
        listShops: async () => {
          if (parts.production) return null
          const shops = await storage.read(listShopWindows)
          hasDemoShop = shops.some(({ slug }) => slug === demoSlug)
          return shops.map(({ slug, name, productSlug }) => ({ slug, name, productSlug: productSlug ?? undefined }))
        },
        demo: () => hasDemoShop,
        hasEmails: (request) => mailFolder !== null && isFromHere(request),
      }),
      ...probePages({
        metrics: parts.showsMetrics === false ? null : metrics,
        isDraining: () => draining,
        isStarting: parts.isStarting ?? (() => false),
        schemaGap: () => schemaGap(storage),
        checkWrites: oneAtATime(() => storage.checkWrites()),
      }),
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
          postWaitMs: (secret) => postsBySession?.take(pageSecretHash(secret), clock().getTime()) ?? 0,
        }),
      ),
      legalPage(createLegalPages(storage, clock)),
      ...withdrawalPages({
        withdrawals,
        origin: publicOrigin,
        sendsMail: mail !== null,
        waitMs: (shopId, address) => waitMsOf(withdrawalThrottles, shopId, address, clock().getTime()),
      }),
      contactPage({
        contact: createContact({ storage, rootSecret, clock }),
        origin: publicOrigin,
        waitMs: (shopId, address) => waitMsOf(contactThrottles, shopId, address, clock().getTime()),
      }),
      elementsPage(),
      ...accountPages({
        customers,
        origin: publicOrigin,
      }),
      providerWebhookPage({
        ...payTools,
        refusedThrottle: rateLimit && createThrottle(refusedProviderWebhooks),
      }),
      ...(mailFolder === null ? [] : mailPages(mailFolder)),
      ...oauth.pages,
      ...staff.pages,
      ...createDashboard({
        admin,
        personOf,
        accountOf: staff.accountOf,
        publicOrigin,
        clock,
        sendsMail: mail !== null,
      }),
      ...(parts.extraPages ?? []),
      imagePage(storage, imageFiles),
      mediaPage(fileURLToPath(new URL('../apps/demo/media/', import.meta.url))),
    ],
    handOffs: [...oauth.handOffs, ...staff.handOffs, ...(parts.extraHandOffs ?? [])],
    shopHosts: parts.shopHosts,
    isHttps: () => publicOrigin().startsWith('https:'),
    trustedProxies: parts.trustedProxies,
    pressure,
    bodyLimiter,
    waitMs: (kind, address, cost) => byAddress[kind]?.take(addressBucket(address), clock().getTime(), cost) ?? 0,
    log,
    metrics,
    tracer,
    refusedDelayMs: parts.refusedDelayMs,
    answerTimeoutMs: parts.answerTimeoutMs,
    headersTimeoutMs: parts.headersTimeoutMs,
    requestTimeoutMs: parts.requestTimeoutMs,
    idleTimeoutMs: parts.idleTimeoutMs,
    connectionsMax: parts.connectionsMax,
    connectionsPerAddressMax: parts.connectionsPerAddressMax,
  })

  return {
    server,
    identify,
    cartTools,
    payTools,
    checkout,
    withdrawals,
    publicOrigin,
    open,
    admin,
    personOf,
    sites,
    imageFiles,
    copier,
    readPicture: async (address) => (await loadReadPicture())(address),
    mail,
    dispatcher,
    metrics,
    beginDraining: () => {
      draining = true
    },
    close: () => {
      unlisten()
      copier.close()
      mail?.transport.close()
      pressure.close()
      metrics.close()
      // The process waits for what is under way.
      void tracer?.close()
    },
  }
}

// However many ask, the database is asked once at a time.
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

// Loaded with the first call that is owed, and with it the HTTP client.
function lateSender(options: SenderOptions, ownReceivers: AppParts['ownReceivers']): Sender {
  let made: Sender | undefined
  const sender = late(async () => {
    const { createSender } = await import('./domain/webhooks/sender.ts')
    made = createSender(options)
    return made
  })
  return {
    send: async (call) => ownReceivers?.(call) ?? (await sender()).send(call),
    close: async () => made?.close(),
  }
}

function mailTools({ mail, storage, clock, log }: AppParts, tools: PayTools): MailTools | null {
  if (!mail || mail.target.kind === 'off') return null
  const transport = createTransport(mail.target, mail.from)
  return {
    storage,
    clock,
    log,
    transport,
    prepare: (db, email) => prepareEmail(tools, db, email),
    counts: newCounts(),
    discards: createDiscards(log),
    health: { isFailing: false },
    stop: new AbortController(),
  }
}

// Forms, and looks at a checkout or an order. Many shoppers share an address behind a company's or a carrier's network, but a
// checkout is not shared, and people do not type that fast.
const looksOfAddress = { perSecond: 40, burst: 120 } as const
const postsOfAddress = { perSecond: 20, burst: 60 } as const
const postsOfSession = { perSecond: 2, burst: 20 } as const
// Calls to payment providers about accounts. A person types keys, and does not guess them.
const accountsOfMerchant = { perSecond: 1 / 20, burst: 20 } as const
// Confirmed withdrawals. No one makes that many by hand. A refused shopper gets the typed text back, to send it again.
const withdrawalsOfAddress = { perSecond: 0.2, burst: 30 } as const
const withdrawalsOfShop = { perSecond: 5, burst: 300 } as const
// Messages to merchants. A person writes a few; a merchant reads no more than some hundred a day.
const messagesOfAddress = { perSecond: 1 / 300, burst: 5 } as const
const messagesOfShop = { perSecond: 1 / 60, burst: 60 } as const
const refusedProviderWebhooks = { perSecond: 5, burst: 60 } as const

function waitMsOf(
  throttles: Readonly<Record<'address' | 'shop', Throttle>> | null,
  shopId: string,
  address: string,
  now: number,
): number {
  if (!throttles) return 0
  return throttles.address.take(addressBucket(address), now) || throttles.shop.take(shopId, now)
}

// The unauthenticated read and wrong keys are limited by address.
function throttlesFor(rate: Rate | null): Throttles {
  if (!rate) return { byCredential: null, byAddress: null, byFailedAddress: null, byVisitor: null }
  return {
    byCredential: createThrottle(rate),
    byAddress: createThrottle({ perSecond: 20, burst: 60 }),
    byFailedAddress: createThrottle({ perSecond: 5, burst: 60 }),
    byVisitor: createThrottle({ perSecond: 10, burst: 60 }),
  }
}

function observeStorage(metrics: Metrics, storage: Storage): void {
  metrics.read({
    name: 'cartwright_database_connections',
    help: 'Connections to the database.',
    type: 'gauge',
    values: () => {
      const { open, idle, waiting } = storage.stats().connections
      return samplesBy('state', { open, idle, waiting })
    },
  })
  metrics.read({
    name: 'cartwright_write_groups_total',
    help: 'Commits.',
    type: 'counter',
    values: () => storage.stats().writes.commits,
  })
  metrics.read({
    name: 'cartwright_writes_total',
    help: 'Pieces of work that the commits carried.',
    type: 'counter',
    values: () => storage.stats().writes.works,
  })
  metrics.read({
    name: 'cartwright_write_retries_total',
    help: 'Pieces of work done again after a deadlock or a serialization failure.',
    type: 'counter',
    values: () => storage.stats().writes.retries,
  })
  metrics.read({
    name: 'cartwright_writes_queued',
    help: 'Pieces of work that wait for their commit.',
    type: 'gauge',
    values: () => storage.stats().writes.queued,
  })
}

function observePayments(metrics: Metrics, watch: PaymentWatch): void {
  metrics.read({
    name: 'cartwright_provider_calls_total',
    help: 'Calls to payment providers, by call and outcome.',
    type: 'counter',
    values: () => watch.stats().calls,
  })
  metrics.read({
    name: 'cartwright_payment_incidents_total',
    help: 'Money that did not move as it should. Each has a log line with its ids.',
    type: 'counter',
    values: () => watch.stats().incidents,
  })
  metrics.read({
    name: 'cartwright_payment_notices_total',
    help: 'Messages at the address for notices of payment providers, by outcome.',
    type: 'counter',
    values: () => watch.stats().webhooks,
  })
  metrics.read({
    name: 'cartwright_payments_declined_total',
    help: 'Payments that were declined, by shop.',
    type: 'counter',
    values: () => watch.tries.stats().declined,
  })
  metrics.read({
    name: 'cartwright_payment_tries_refused_total',
    help: 'Payments that were not begun because of too many declined ones, by shop and by what was limited.',
    type: 'counter',
    values: () => watch.tries.stats().refused,
  })
}
