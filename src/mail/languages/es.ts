// What letters say, in Spanish.

import type { LetterTexts } from './en.ts'

export const es: LetterTexts = {
  'order_placed.subject': 'Su pedido {number} en {merchant}',
  'order_placed.title': 'Gracias por su pedido',
  'order_placed.paid': 'Hemos recibido su pedido y su pago de {amount}.',
  'order_placed.free': 'Hemos recibido su pedido. No hay nada que pagar.',
  'order_placed.received': 'Hemos recibido su pedido.',
  'order_placed.awaiting': 'Hemos recibido su pedido. Quedan {amount} por pagar.',
  'order_placed.processing':
    'Hemos recibido su pedido. Su pago de {amount} se está procesando. Le escribiremos cuando haya llegado.',
  'order_placed.reference': 'Indique el número de pedido {number} en su pago.',
  'payment_received.subject': 'Pago recibido del pedido {number}',
  'payment_received.title': 'Su pago ha llegado',
  'payment_received.text': 'Hemos recibido su pago de {amount} por el pedido {number}. Gracias.',
  'payment_received.cancelled':
    'Hemos recibido su pago de {amount}. El pedido {number} ya estaba cancelado, así que se le devuelve el dinero.',
  'shipped.subject': 'El pedido {number} está en camino',
  'shipped.title': 'Su pedido está en camino',
  'shipped.all': 'Ya se ha enviado todo su pedido.',
  'shipped.part': 'Se ha enviado una parte de su pedido. El resto llegará en otro paquete.',
  'shipped.carrier': 'Transportista',
  'shipped.items': 'En este paquete',
  'order_cancelled.subject': 'El pedido {number} se ha cancelado',
  'order_cancelled.title': 'Su pedido se ha cancelado',
  'order_cancelled.text': 'El pedido {number} en {merchant} se ha cancelado.',
  'order_cancelled.back': 'Se le devuelven {amount} por la misma forma de pago. Puede tardar unos días.',
  'order_cancelled.nothing': 'No queda nada por pagar.',
  'refunded.subject': 'Reembolso del pedido {number}',
  'refunded.title': 'Su reembolso',
  'refunded.text': 'Se han reembolsado {amount} del pedido {number}. Puede tardar unos días en aparecer en su cuenta.',
  'payment_returned.subject': 'Su pago en {merchant} se le devuelve',
  'payment_returned.title': 'No se pudo completar su pedido',
  'payment_returned.text':
    'Su pago de {amount} ha llegado, pero el pedido ya no era posible. El dinero se le devuelve por la misma forma de pago. No tiene que hacer nada.',
  'order_received.subject': 'Nuevo pedido {number}: {amount}',
  'order_received.title': 'Nuevo pedido {number}',
  'order_received.paid': 'Pagado: {amount}.',
  'order_received.free': 'No había nada que pagar.',
  'order_received.awaiting': 'A la espera del pago de {amount}.',
  'refund_failed.subject': 'Ha fallado un reembolso: {subject}',
  'refund_failed.title': 'No se pudo pagar un reembolso',
  'refund_failed.text':
    'El proveedor de pagos ha rechazado devolver {amount} ({subject}). Alguien debe ocuparse: repetir el reembolso o pagarlo de otra forma.',
  'dispute_opened.subject': 'Un pago está en disputa: {subject}',
  'dispute_opened.title': 'Un pago está en disputa',
  'dispute_opened.text':
    'Un cliente ha pedido a su banco que le devuelva {amount} ({subject}). Responda en el panel de su proveedor de pagos.',
  'dispute_opened.due':
    'Un cliente ha pedido a su banco que le devuelva {amount} ({subject}). Responda antes del {date} en el panel de su proveedor de pagos: sin respuesta, el dinero se pierde.',
  'endpoint_disabled.subject': 'Se ha desactivado un punto de conexión webhook',
  'endpoint_disabled.title': 'Se ha desactivado un punto de conexión webhook',
  'endpoint_disabled.failing':
    '{url} lleva demasiado tiempo fallando. No se pierde nada: los eventos esperan hasta que se active de nuevo.',
  'endpoint_disabled.gone':
    '{url} ha respondido que ya no existe. No se pierde nada: los eventos esperan hasta que se active de nuevo.',
  'stock_low.subject': 'Pocas existencias: {item}',
  'stock_low.title': 'Pocas existencias',
  'stock_low.text': { one: 'Queda {count} de {item} ({code}).', other: 'Quedan {count} de {item} ({code}).' },
  'stock_low.none': '{item} ({code}) está agotado.',
  'letter.view': 'Ver su pedido',
  'letter.reply': '¿Preguntas? Responda a este mensaje.',
  'letter.reason': 'Recibe este mensaje porque se indicó esta dirección en un pedido en {merchant}.',
  'letter.reasonMerchant': 'Recibe este mensaje porque esta es la dirección de atención de {merchant}.',
  'letter.automatic': 'Este mensaje se ha enviado automáticamente.',
}
