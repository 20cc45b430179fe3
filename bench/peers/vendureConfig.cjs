// The settings of the shop on Vendure, as its own project template and its guide for production give them, without its dashboard and e-mails.
const core = require('@vendure/core')

const database = new URL(process.env.DATABASE_URL)

exports.config = {
  apiOptions: {
    hostname: '127.0.0.1',
    port: Number(process.env.PORT),
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    cors: { origin: [process.env.ORIGIN], credentials: true },
    introspection: false,
  },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    superadminCredentials: { identifier: 'bench', password: 'only-for-the-benchmark' },
    cookieOptions: { secret: 'only-for-the-benchmark' },
  },
  dbConnectionOptions: {
    type: 'postgres',
    synchronize: process.env.MAKES_TABLES === '1',
    logging: false,
    host: database.hostname,
    port: Number(database.port),
    username: database.username,
    password: database.password,
    database: database.pathname.slice(1),
  },
  paymentOptions: { paymentMethodHandlers: [core.dummyPaymentHandler] },
  plugins: [
    core.DefaultSchedulerPlugin.init(),
    core.DefaultJobQueuePlugin.init({ useDatabaseForBuffer: true }),
    core.DefaultSearchPlugin.init({ bufferUpdates: false, indexStockStatus: true }),
  ],
}
