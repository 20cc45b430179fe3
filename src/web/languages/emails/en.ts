// Everything that e-mails say, in English. It names the keys: a language that lacks one does not compile.

import type { Text } from '../checkout/en.ts'

export const en = {
  'order_placed.subject': 'Your order {number} at {merchant}',
  'order_placed.title': 'Thank you for your order',
  'order_placed.paid': 'We have received your order and your payment of {amount}.',
  'order_placed.free': 'We have received your order. There is nothing to pay.',
  'order_placed.received': 'We have received your order.',
  'order_placed.awaiting': 'We have received your order. {amount} is still to be paid.',
  'order_placed.processing':
    'We have received your order. Your payment of {amount} is being processed. We will write to you when it has arrived.',
  'order_placed.reference': 'Please quote order number {number} with your payment.',
  'payment_received.subject': 'Payment received for order {number}',
  'payment_received.title': 'Your payment has arrived',
  'payment_received.text': 'We have received your payment of {amount} for order {number}. Thank you.',
  'payment_received.cancelled':
    'We have received your payment of {amount}. Order {number} had already been cancelled, so the money will be returned to you.',
  'shipped.subject': 'Order {number} is on its way',
  'shipped.title': 'Your order is on its way',
  'shipped.all': 'Everything you ordered has now been sent.',
  'shipped.part': 'Part of your order has been sent. The rest will follow in another parcel.',
  'shipped.carrier': 'Carrier',
  'shipped.items': 'In this parcel',
  'order_cancelled.subject': 'Order {number} was cancelled',
  'order_cancelled.title': 'Your order was cancelled',
  'order_cancelled.text': 'Order {number} at {merchant} was cancelled.',
  'order_cancelled.back':
    '{amount} will be refunded to your original payment method. It may take a few days to arrive.',
  'order_cancelled.nothing': 'There is nothing left to pay.',
  'refunded.subject': 'Refund for order {number}',
  'refunded.title': 'Your refund',
  'refunded.text': '{amount} for order {number} has been refunded. It may take a few days to appear in your account.',
  'return_requested.subject': 'We have received your return request {number}',
  'return_requested.title': 'Your return request',
  'return_requested.text':
    'We have received your request to return items of order {order}. We will write to you as soon as it is checked.',
  'return_approved.subject': 'You can send your return {number}',
  'return_approved.title': 'Your return was approved',
  'return_approved.text': 'You can now send back the items of order {order}.',
  'return_refused.subject': 'About your return {number}',
  'return_refused.title': 'Your return was not accepted',
  'return_refused.text': 'Your request to return items of order {order} was not accepted.',
  'return_received.subject': 'Your return {number} has arrived',
  'return_received.title': 'Your return has arrived',
  'return_received.text': 'The items of your return {number} have arrived. We will check them.',
  'return_closed.subject': 'Your return {number} is finished',
  'return_closed.title': 'Your return is finished',
  'return_closed.text': 'Your return {number} is finished.',
  'return_asked.subject': 'Return requested: {number}',
  'return_asked.title': 'A customer wants to return items',
  'return_asked.text': 'A customer asked to return items of order {order}. Answer in the dashboard.',
  'return.instructions': 'How to send the items',
  'return.answer': 'Answer of the shop',
  'return.label': 'Label for the parcel',
  'return.items': 'Items of this return',
  'customer_code.subject': 'Your code for {merchant}',
  'customer_code.title': 'Sign in to {merchant}',
  'customer_code.code': 'Code',
  'customer_code.button': 'Sign in',
  'customer_code.text':
    'Enter the code in the browser in which you asked for it, or open the link there. Both work once and expire after {duration}.',
  'customer_code.ignore': 'If you did not ask for this, you can ignore this message.',
  'payment_returned.subject': 'Your payment to {merchant} is being returned',
  'payment_returned.title': 'Your order could not be completed',
  'payment_returned.text':
    'We have received your payment of {amount}, but the order could no longer be placed. The money will be returned to your original payment method. You do not need to do anything.',
  'withdrawal_acknowledged.subject': 'We have received your withdrawal ({merchant})',
  'withdrawal_acknowledged.title': 'Your withdrawal has been received',
  'withdrawal_acknowledged.text': 'On {date} we received this statement:',
  'withdrawal_acknowledged.next':
    'This confirms that your withdrawal was received. {merchant} will get in touch with you about what comes next. If it was not you, please answer this e-mail.',
  'withdrawal_received.subject': 'A shopper withdrew from order {order}',
  'withdrawal_received.title': 'A shopper withdrew from a contract',
  'withdrawal_received.text':
    'The withdrawal names order {order}. It was received on {date}. The dashboard shows the statement, under Orders, Withdrawals. If the right of withdrawal applies, the money has to be back by {due}.',
  'withdrawal_received.unnamed': 'an unknown number',
  'confirmation.seller': 'Seller',
  'confirmation.form': 'Model withdrawal form',
  'confirmation.formText':
    '(Complete and return this form only if you wish to withdraw from the contract.)\n– To {seller}:\n– I/We (*) hereby give notice that I/We (*) withdraw from my/our (*) contract of sale of the following goods (*)/for the provision of the following service (*),\n– Ordered on (*)/received on (*),\n– Name of consumer(s),\n– Address of consumer(s),\n– Signature of consumer(s) (only if this form is notified on paper),\n– Date\n(*) Delete as appropriate.',
  'order_received.subject': 'New order {number}: {amount}',
  'order_received.title': 'New order {number}',
  'order_received.open': 'Open in the dashboard',
  'order_received.paid': 'Paid: {amount}.',
  'order_received.free': 'There was nothing to pay.',
  'order_received.awaiting': 'Waiting for payment of {amount}.',
  'refund_failed.subject': 'A refund failed: {subject}',
  'refund_failed.title': 'A refund could not be paid',
  'refund_failed.text':
    'The payment provider refused to refund {amount} ({subject}). Please try the refund again, or pay it another way.',
  'dispute_opened.subject': 'A payment is disputed: {subject}',
  'dispute_opened.title': 'A payment is disputed',
  'dispute_opened.text':
    'A shopper has asked their bank to take back {amount} ({subject}). Answer in the dashboard of your payment provider.',
  'dispute_opened.due':
    'A shopper has asked their bank to take back {amount} ({subject}). Answer by {date} in the dashboard of your payment provider: without an answer the money is lost.',
  'payment_account_problem.subject': '{provider} needs your attention',
  'payment_account_problem.title': 'Your account at {provider} needs attention',
  'payment_account_problem.key_refused':
    '{provider} does not accept the key of your shop any more. Shoppers cannot pay with it, and payments and refunds under way wait. Ask whoever runs your shop to replace the keys (payments rotate).',
  'payment_account_problem.permission_missing':
    'A permission is missing from the key of your shop at {provider}, so some requests are refused. Add it in the dashboard of {provider}; payments check names it.',
  'payment_account_problem.notices_refused':
    'Notices from {provider} are refused, because they are not signed with the secret that your shop knows. Payments are still found, minutes later. Ask whoever runs your shop to set the secret (payments rotate --notices).',
  'endpoint_disabled.subject': 'A webhook endpoint was disabled',
  'endpoint_disabled.title': 'A webhook endpoint was disabled',
  'endpoint_disabled.failing':
    '{url} has failed for too long. Nothing is lost: events wait until the endpoint is enabled again.',
  'endpoint_disabled.gone':
    '{url} answered 410 Gone. Nothing is lost: events wait until the endpoint is enabled again.',
  'stock_low.subject': 'Low stock: {item}',
  'stock_low.title': 'Low stock',
  'stock_low.text': 'Only {count} left: {item} ({code}).',
  'stock_low.none': '{item} ({code}) is sold out.',
  'invitation.subject': 'Invitation to {merchant}',
  'invitation.title': 'Your invitation to {merchant}',
  'invitation.text': 'You have been invited to join the team of {merchant}.',
  'invitation.button': 'Accept invitation',
  'invitation.ignore': 'If you do not know this shop, you can ignore this message.',
  'password_reset.subject': 'Set a new password at {merchant}',
  'password_reset.title': 'Set a new password',
  'password_reset.text': 'A new password was requested for your account at {merchant}.',
  'password_reset.button': 'Set a new password',
  'password_reset.ignore': 'If you did not request this, you can ignore this message: your password stays as it is.',
  'reset_made.subject': 'A link for a new password at {merchant}',
  'reset_made.title': 'A link for a new password was made',
  'reset_made.text':
    'Someone who manages the team of {merchant} made a link with which a new password can be set for your account.',
  'password_changed.subject': 'Your password at {merchant} was changed',
  'password_changed.title': 'Your password was changed',
  'password_changed.text': 'A new password was set for your account at {merchant}, and you were signed out everywhere.',
  'role_changed.subject': 'Your role at {merchant} was changed',
  'role_changed.title': 'Your role was changed',
  'role_changed.text': 'Your role at {merchant} is now: {role}.',
  'factor_removed.subject': 'Your second factor at {merchant} was removed',
  'factor_removed.title': 'Your second factor was removed',
  'factor_removed.text':
    'The second factor and the passkeys of your account at {merchant} were removed. A password alone now lets you in.',
  'member_joined.subject': 'A new person in the team of {merchant}',
  'member_joined.title': 'A new person in your team',
  'member_joined.text':
    '{address} accepted an invitation that a key or an app made, and now belongs to the team of {merchant} as: {role}.',
  'member_joined.unexpected':
    'If you do not know this address, remove the person in the dashboard under Settings, People, and revoke the key or uninstall the app.',
  'email.view': 'View your order',
  'email.document': 'Document',
  'email.reply': 'Questions? Reply to this message.',
  'email.reason': 'You receive this message because this address was given for an order at {merchant}.',
  'email.reasonMerchant': 'You receive this message because this is the support address of {merchant}.',
  'email.reasonPerson': 'You receive this message because this address was given for an account at {merchant}.',
  'email.expires': 'The link works once and expires after {duration}.',
  'email.unexpected':
    'If you did not expect this, set a new password from the sign-in page and ask an owner of the shop.',
} as const satisfies Record<string, Text>

export type EmailTextKey = keyof typeof en
export type EmailTexts = { readonly [Key in EmailTextKey]: Text }
