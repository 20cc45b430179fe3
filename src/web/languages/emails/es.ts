// What e-mails say, in Spanish.

import type { EmailTexts } from './en.ts'

export const es: EmailTexts = {
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
  'payment_account_problem.subject': '{provider} requiere su atención',
  'payment_account_problem.title': 'Su cuenta de {provider} requiere atención',
  'payment_account_problem.key_refused':
    '{provider} ya no acepta la clave de su tienda. Los clientes no pueden pagar con ella, y los pagos y reembolsos en curso esperan. Pida a quien gestiona su tienda que sustituya las claves (payments rotate).',
  'payment_account_problem.permission_missing':
    'A la clave de su tienda en {provider} le falta un permiso, por lo que se rechazan algunas solicitudes. Añádalo en el panel de {provider}; payments check lo indica.',
  'payment_account_problem.notices_refused':
    'Las notificaciones de {provider} se rechazan porque no están firmadas con el secreto que conoce su tienda. Los pagos se encuentran igualmente, minutos después. Pida a quien gestiona su tienda que establezca el secreto (payments rotate --notices).',
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
  'invitation.subject': 'Invitación a {merchant}',
  'invitation.title': 'Su invitación a {merchant}',
  'invitation.text': 'Le han invitado a unirse al equipo de {merchant}.',
  'invitation.button': 'Aceptar la invitación',
  'invitation.ignore': 'Si no conoce esta tienda, puede ignorar este mensaje.',
  'password_reset.subject': 'Establecer una contraseña nueva en {merchant}',
  'password_reset.title': 'Establecer una contraseña nueva',
  'password_reset.text': 'Se ha solicitado una contraseña nueva para su cuenta en {merchant}.',
  'password_reset.button': 'Establecer una contraseña nueva',
  'password_reset.ignore': 'Si no la ha solicitado usted, puede ignorar este mensaje: su contraseña no cambia.',
  'reset_made.subject': 'Un enlace para una contraseña nueva en {merchant}',
  'reset_made.title': 'Se ha creado un enlace para una contraseña nueva',
  'reset_made.text':
    'Alguien que gestiona el equipo de {merchant} ha creado un enlace con el que se puede establecer una contraseña nueva para su cuenta.',
  'password_changed.subject': 'Su contraseña en {merchant} ha cambiado',
  'password_changed.title': 'Su contraseña ha cambiado',
  'password_changed.text':
    'Se ha establecido una contraseña nueva para su cuenta en {merchant} y se han cerrado todas sus sesiones.',
  'role_changed.subject': 'Su función en {merchant} ha cambiado',
  'role_changed.title': 'Su función ha cambiado',
  'role_changed.text': 'Su función en {merchant} es ahora: {role}.',
  'factor_removed.subject': 'Su segundo factor en {merchant} se ha eliminado',
  'factor_removed.title': 'Su segundo factor se ha eliminado',
  'factor_removed.text':
    'Se han eliminado el segundo factor y las claves de acceso de su cuenta en {merchant}. Ahora basta con la contraseña para entrar.',
  'member_joined.subject': 'Una persona nueva en el equipo de {merchant}',
  'member_joined.title': 'Una persona nueva en su equipo',
  'member_joined.text':
    '{address} ha aceptado una invitación creada por una clave o una aplicación y ahora forma parte del equipo de {merchant} como: {role}.',
  'member_joined.unexpected':
    'Si no conoce esta dirección, quite a la persona en los ajustes del panel y revoque la clave o desinstale la aplicación.',
  'email.view': 'Ver su pedido',
  'email.reply': '¿Preguntas? Responda a este mensaje.',
  'email.reason': 'Recibe este mensaje porque se indicó esta dirección en un pedido en {merchant}.',
  'email.reasonMerchant': 'Recibe este mensaje porque esta es la dirección de atención de {merchant}.',
  'email.reasonPerson': 'Recibe este mensaje porque se indicó esta dirección para una cuenta en {merchant}.',
  'email.expires': 'El enlace solo se puede usar una vez y caduca después de {duration}.',
  'email.unexpected':
    'Si no lo esperaba, establezca una contraseña nueva desde la página de inicio de sesión y pregunte a un propietario de la tienda.',
}
