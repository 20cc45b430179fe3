// Messages of agents to the buyer that the texts of the checkout do not contain.

import type { Language } from './checkout/texts.ts'

const en = {
  'page.pay': 'Please pay on the checkout page.',
  'page.consent':
    'Digital content is supplied at once, which needs your agreement. Please agree and pay on the checkout page.',
  'page.review': 'Please check and confirm the order on the checkout page.',
  'page.address': 'Please enter the address and pay on the checkout page.',
  'page.challenge': 'Your bank asks for a confirmation. Please confirm the payment on the checkout page.',
  'line.notSold': '“{item}” is not sold here.',
  'line.soldOut': '“{item}” is out of stock.',
  'line.fewer': '“{item}”: {asked} were asked for, {got} can be had.',
  'line.byPiece': '“{item}” is sold by the piece.',
  'eligibility.none': 'The claim “{claim}” is not accepted here.',
  'address.unknown': 'This address is not known here. Please enter it again.',
  'stock.short': 'Not everything is in stock any more. Nothing was charged.',
  'code.second': 'Only one code can be used for an order.',
  'total.changed': 'The total has changed. Nothing was charged.',
  'payment.choose': 'Please choose one way to pay.',
  'payment.awaited': 'The order is placed. The payment has not arrived yet.',
  'shipping.only': 'Only shipping is offered.',
  'currency.only': 'Prices are in {currency}.',
  'thing.none': 'This does not exist here, or no longer does.',
}

export type AgentTextKey = keyof typeof en
type AgentTexts = Readonly<Record<AgentTextKey, string>>

const de: AgentTexts = {
  'page.pay': 'Bitte bezahlen Sie auf der Kassenseite.',
  'page.consent':
    'Digitale Inhalte werden sofort bereitgestellt, wozu Ihre Zustimmung nötig ist. Bitte stimmen Sie auf der Kassenseite zu und bezahlen Sie dort.',
  'page.review': 'Bitte prüfen und bestätigen Sie die Bestellung auf der Kassenseite.',
  'page.address': 'Bitte geben Sie die Adresse auf der Kassenseite ein und bezahlen Sie dort.',
  'page.challenge': 'Ihre Bank verlangt eine Bestätigung. Bitte bestätigen Sie die Zahlung auf der Kassenseite.',
  'line.notSold': '„{item}“ wird hier nicht verkauft.',
  'line.soldOut': '„{item}“ ist ausverkauft.',
  'line.fewer': '„{item}“: {asked} gewünscht, {got} erhältlich.',
  'line.byPiece': '„{item}“ wird nach Stück verkauft.',
  'eligibility.none': 'Der Vorteil „{claim}“ wird hier nicht angenommen.',
  'address.unknown': 'Diese Adresse ist hier nicht bekannt. Bitte geben Sie sie noch einmal an.',
  'stock.short': 'Es ist nicht mehr alles vorrätig. Es wurde nichts abgebucht.',
  'code.second': 'Für eine Bestellung gilt nur ein Code.',
  'total.changed': 'Der Gesamtbetrag hat sich geändert. Es wurde nichts abgebucht.',
  'payment.choose': 'Bitte wählen Sie eine Zahlungsart.',
  'payment.awaited': 'Die Bestellung ist aufgegeben. Die Zahlung ist noch nicht eingegangen.',
  'shipping.only': 'Es wird nur Versand angeboten.',
  'currency.only': 'Die Preise sind in {currency}.',
  'thing.none': 'Das gibt es hier nicht oder nicht mehr.',
}

const fr: AgentTexts = {
  'page.pay': 'Veuillez payer sur la page de paiement.',
  'page.consent':
    'Les contenus numériques sont fournis immédiatement, ce qui demande votre accord. Veuillez le donner et payer sur la page de paiement.',
  'page.review': 'Veuillez vérifier et confirmer la commande sur la page de paiement.',
  'page.address': 'Veuillez indiquer l’adresse et payer sur la page de paiement.',
  'page.challenge': 'Votre banque demande une confirmation. Veuillez confirmer le paiement sur la page de paiement.',
  'line.notSold': '« {item} » n’est pas vendu ici.',
  'line.soldOut': '« {item} » est épuisé.',
  'line.fewer': '« {item} » : {asked} demandés, {got} disponibles.',
  'line.byPiece': '« {item} » est vendu à la pièce.',
  'eligibility.none': 'L’avantage « {claim} » n’est pas accepté ici.',
  'address.unknown': 'Cette adresse n’est pas connue ici. Veuillez la saisir à nouveau.',
  'stock.short': 'Tout n’est plus en stock. Rien n’a été débité.',
  'code.second': 'Un seul code est accepté par commande.',
  'total.changed': 'Le total a changé. Rien n’a été débité.',
  'payment.choose': 'Veuillez choisir un moyen de paiement.',
  'payment.awaited': 'La commande est passée. Le paiement n’est pas encore arrivé.',
  'shipping.only': 'Seule la livraison est proposée.',
  'currency.only': 'Les prix sont en {currency}.',
  'thing.none': 'Cela n’existe pas ici, ou n’existe plus.',
}

const es: AgentTexts = {
  'page.pay': 'Pague en la página de pago.',
  'page.consent':
    'El contenido digital se suministra de inmediato y requiere su consentimiento. Acéptelo y pague en la página de pago.',
  'page.review': 'Revise y confirme el pedido en la página de pago.',
  'page.address': 'Indique la dirección y pague en la página de pago.',
  'page.challenge': 'Su banco pide una confirmación. Confirme el pago en la página de pago.',
  'line.notSold': '«{item}» no se vende aquí.',
  'line.soldOut': '«{item}» está agotado.',
  'line.fewer': '«{item}»: se pidieron {asked} y hay {got}.',
  'line.byPiece': '«{item}» se vende por unidades.',
  'eligibility.none': 'La ventaja «{claim}» no se acepta aquí.',
  'address.unknown': 'Esta dirección no se conoce aquí. Indíquela de nuevo, por favor.',
  'stock.short': 'Ya no queda todo en existencias. No se ha cobrado nada.',
  'code.second': 'Solo se puede usar un código por pedido.',
  'total.changed': 'El total ha cambiado. No se ha cobrado nada.',
  'payment.choose': 'Elija una forma de pago.',
  'payment.awaited': 'El pedido está hecho. El pago aún no ha llegado.',
  'shipping.only': 'Solo se ofrece envío.',
  'currency.only': 'Los precios están en {currency}.',
  'thing.none': 'Esto no existe aquí o ya no existe.',
}

const nl: AgentTexts = {
  'page.pay': 'Betaal op de afrekenpagina.',
  'page.consent':
    'Digitale inhoud wordt direct geleverd en daarvoor is je toestemming nodig. Geef die en betaal op de afrekenpagina.',
  'page.review': 'Controleer en bevestig de bestelling op de afrekenpagina.',
  'page.address': 'Vul het adres in en betaal op de afrekenpagina.',
  'page.challenge': 'Je bank vraagt om een bevestiging. Bevestig de betaling op de afrekenpagina.',
  'line.notSold': '“{item}” wordt hier niet verkocht.',
  'line.soldOut': '“{item}” is uitverkocht.',
  'line.fewer': '“{item}”: {asked} gevraagd, {got} beschikbaar.',
  'line.byPiece': '“{item}” wordt per stuk verkocht.',
  'eligibility.none': 'Het voordeel “{claim}” wordt hier niet geaccepteerd.',
  'address.unknown': 'Dit adres is hier niet bekend. Geef het nog eens op.',
  'stock.short': 'Niet alles is meer op voorraad. Er is niets afgeschreven.',
  'code.second': 'Per bestelling geldt maar één code.',
  'total.changed': 'Het totaal is veranderd. Er is niets afgeschreven.',
  'payment.choose': 'Kies één betaalmethode.',
  'payment.awaited': 'De bestelling is geplaatst. De betaling is nog niet binnen.',
  'shipping.only': 'Alleen verzending is mogelijk.',
  'currency.only': 'De prijzen zijn in {currency}.',
  'thing.none': 'Dit bestaat hier niet of niet meer.',
}

const ja: AgentTexts = {
  'page.pay': 'お支払いページでお支払いください。',
  'page.consent':
    'デジタルコンテンツはすぐに提供されるため、お客様の同意が必要です。お支払いページで同意のうえ、お支払いください。',
  'page.review': 'お支払いページでご注文内容を確認し、確定してください。',
  'page.address': 'お支払いページでお届け先を入力し、お支払いください。',
  'page.challenge': '銀行による確認が必要です。お支払いページでお支払いを承認してください。',
  'line.notSold': '「{item}」はこのショップでは販売していません。',
  'line.soldOut': '「{item}」は在庫切れです。',
  'line.fewer': '「{item}」：ご希望の数量は{asked}点ですが、ご用意できるのは{got}点です。',
  'line.byPiece': '「{item}」は1点単位で販売しています。',
  'eligibility.none': '特典「{claim}」は、このショップではご利用いただけません。',
  'address.unknown': 'このお届け先は登録されていません。もう一度ご入力ください。',
  'stock.short': '在庫が足りない商品があります。請求は行われていません。',
  'code.second': '1回のご注文で使えるコードは1つだけです。',
  'total.changed': '合計金額が変わりました。請求は行われていません。',
  'payment.choose': 'お支払い方法を1つお選びください。',
  'payment.awaited': 'ご注文を承りました。お支払いはまだ確認できていません。',
  'shipping.only': '配送のみご利用いただけます。',
  'currency.only': '価格は{currency}で表示しています。',
  'thing.none': 'ここには存在しないか、すでになくなりました。',
}

const ar: AgentTexts = {
  'page.pay': 'يرجى الدفع في صفحة الدفع.',
  'page.consent': 'يُقدَّم المحتوى الرقمي فورًا ويتطلب موافقتك. يرجى الموافقة والدفع في صفحة الدفع.',
  'page.review': 'يرجى مراجعة الطلب وتأكيده في صفحة الدفع.',
  'page.address': 'يرجى إدخال العنوان والدفع في صفحة الدفع.',
  'page.challenge': 'يطلب مصرفك تأكيدًا. يرجى تأكيد الدفعة في صفحة الدفع.',
  'line.notSold': '«{item}» لا يُباع هنا.',
  'line.soldOut': '«{item}» نفد من المخزون.',
  'line.fewer': '«{item}»: المطلوب {asked} والمتاح {got}.',
  'line.byPiece': 'يُباع «{item}» بالقطعة.',
  'eligibility.none': 'الميزة «{claim}» غير مقبولة هنا.',
  'address.unknown': 'هذا العنوان غير معروف هنا. يُرجى إدخاله مرة أخرى.',
  'stock.short': 'لم تعد كل المنتجات متوفرة. لم يُخصم أي مبلغ.',
  'code.second': 'يمكن استخدام رمز واحد فقط لكل طلب.',
  'total.changed': 'تغيّر المبلغ الإجمالي. لم يُخصم أي مبلغ.',
  'payment.choose': 'يرجى اختيار طريقة دفع واحدة.',
  'payment.awaited': 'تم تسجيل الطلب. لم تصل الدفعة بعد.',
  'shipping.only': 'الشحن وحده متاح.',
  'currency.only': 'الأسعار بعملة {currency}.',
  'thing.none': 'هذا غير موجود هنا أو لم يعد موجودًا.',
}

export const agentTexts: Readonly<Record<Language, AgentTexts>> = { en, de, fr, es, nl, ja, ar }
