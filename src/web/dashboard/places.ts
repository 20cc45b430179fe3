// The nine places of the dashboard, in the order of the menu. `key` follows `g` on the keyboard.

import type { AdminOperationId } from '../../contract/admin/operations.ts'

export const menuPlaces = [
  { id: 'home', path: 'home', key: 'h', needs: 'getAdminHome' },
  { id: 'orders', path: 'orders', key: 'o', needs: 'listAdminOrders' },
  { id: 'customers', path: 'customers', key: 'c', needs: 'listAdminCustomers' },
  { id: 'products', path: 'products', key: 'p', needs: 'listAdminProducts' },
  { id: 'discounts', path: 'discounts', key: 's', needs: 'listAdminPromotions' },
  { id: 'store', path: 'store', key: 't', needs: 'getAdminSite' },
  { id: 'reports', path: 'reports', key: 'r', needs: 'getAdminSalesReport' },
  { id: 'settings', path: 'settings', key: 'e', needs: 'getAdminShop' },
  { id: 'developers', path: 'developers', key: 'd', needs: 'listAdminWebhookEndpoints' },
] as const satisfies readonly { id: string; path: string; key: string; needs: AdminOperationId }[]

export type PlaceId = (typeof menuPlaces)[number]['id']
