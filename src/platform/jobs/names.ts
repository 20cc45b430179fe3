// The loops, by the names that metrics, the log and `doctor` use.

const loopNames = [
  'last_use',
  'stale_products',
  'product_index',
  'payments',
  'payment_news',
  'payment_labels',
  'refunds',
  'mail',
  'search',
  'sessions',
  'ended_installations',
  'unpaid_orders',
  'holds',
  'carts',
  'untold_carts',
  'addresses',
  'idempotency_keys',
  'webhooks',
  'webhook_dispatch',
  'oauth',
  'staff',
  'pictures',
  'sales',
  'documents',
  'transfers',
  'retention',
  'deferred_rows',
  'clock',
] as const

export type LoopName = (typeof loopNames)[number]
