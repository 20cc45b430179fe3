// The settings of the shop on Medusa, as its documentation gives them for production, in one process and without its dashboard.
const { defineConfig } = require('@medusajs/framework/utils')

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    workerMode: 'shared',
    http: {
      storeCors: process.env.ORIGIN,
      adminCors: process.env.ORIGIN,
      authCors: process.env.ORIGIN,
      jwtSecret: 'only-for-the-benchmark',
      cookieSecret: 'only-for-the-benchmark',
    },
  },
})
