// The secret in the address of an order's page.

import { pageSecretsFor } from '../kit/pagesecret.ts'

export const orderPageSecrets = pageSecretsFor('order page')
