// Messages about a checkout in the form of the Agentic Commerce Protocol, translated from messages of UCP. Pure.

import { type AgentWords, destinationPath, type UcpMessage } from '../ucp/messages.ts'

export interface AcpMessage {
  type: 'error' | 'warning' | 'info'
  code?: string
  resolution?: 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review'
  param?: string
  content_type: 'plain'
  content: string
}

// The published ACP schema lists the allowed codes of errors and of warnings.
const errorCodes: Readonly<Record<string, string>> = {
  field_required: 'missing',
  field_invalid: 'invalid',
  invalid: 'invalid',
  address_undeliverable: 'region_restricted',
  not_found: 'not_found',
  item_unavailable: 'out_of_stock',
  out_of_stock: 'out_of_stock',
  price_unavailable: 'maximum_exceeded',
  payment_on_page: 'intervention_required',
  consent_on_page: 'intervention_required',
  order_review: 'approval_required',
  requires_3ds: 'requires_3ds',
  payment_failed: 'payment_declined',
  payment_in_progress: 'conflict',
  checkout_changed: 'conflict',
  discount_code_user_ineligible: 'coupon_invalid',
}

const warningCodes: Readonly<Record<string, string>> = {
  quantity_adjusted: 'limited_availability',
  total_changed: 'price_change',
  discount_code_expired: 'discount_code_expired',
  discount_code_user_ineligible: 'discount_code_user_ineligible',
  discount_code_minimum_not_met: 'discount_code_minimum_not_met',
  discount_code_combination_disallowed: 'discount_code_combination_disallowed',
  discount_code_already_tried: 'discount_code_invalid',
  discount_code_invalid: 'discount_code_invalid',
}

const addressParam = '$.fulfillment_details.address'

// Path prefixes in UCP, and the ACP paths that replace them.
const params: readonly (readonly [from: string, to: string])[] = [
  [`${destinationPath}.first_name`, `${addressParam}.name`],
  [`${destinationPath}.street_address`, `${addressParam}.line_one`],
  [`${destinationPath}.extended_address`, `${addressParam}.line_two`],
  [`${destinationPath}.address_locality`, `${addressParam}.city`],
  [`${destinationPath}.address_region`, `${addressParam}.state`],
  [`${destinationPath}.postal_code`, `${addressParam}.postal_code`],
  [`${destinationPath}.address_country`, `${addressParam}.country`],
  [`${destinationPath}.phone_number`, '$.fulfillment_details.phone_number'],
  ['$.fulfillment', addressParam],
  ['$.payment', '$.payment_data'],
]

export function acpMessage({ type, code, sentence, path, severity }: UcpMessage, words: AgentWords): AcpMessage {
  const said = { content_type: 'plain', content: sentence(words) } as const
  const param = path === undefined ? {} : { param: paramAt(path) }
  const warned = type === 'warning' ? warningCodes[code] : undefined
  // A warning without an ACP code is sent as information.
  if (type === 'info' || (type === 'warning' && warned === undefined)) return { type: 'info', ...param, ...said }
  if (warned !== undefined) return { type: 'warning', code: warned, ...param, ...said }
  const resolution = severity === undefined || severity === 'unrecoverable' ? {} : { resolution: severity }
  return { type: 'error', code: errorCodes[code] ?? 'invalid', ...resolution, ...param, ...said }
}

function paramAt(path: string): string {
  return params.find(([from]) => path.startsWith(from))?.[1] ?? path
}
