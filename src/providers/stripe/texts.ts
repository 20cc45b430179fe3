// What the checkout says of Stripe: the name of the way to pay, and what to do where none was chosen.

import type { Texts } from '../../payments/port.ts'

export const texts = {
  en: { 'stripe.method': 'Card, wallet and more', 'stripe.choose': 'Please choose how to pay.' },
  de: { 'stripe.method': 'Karte, Wallet und mehr', 'stripe.choose': 'Bitte wählen Sie eine Zahlungsart.' },
  fr: { 'stripe.method': 'Carte, portefeuille et autres', 'stripe.choose': 'Veuillez choisir un moyen de paiement.' },
  es: { 'stripe.method': 'Tarjeta, monedero y más', 'stripe.choose': 'Elija cómo quiere pagar.' },
  ar: { 'stripe.method': 'بطاقة أو محفظة رقمية وغيرها', 'stripe.choose': 'يرجى اختيار طريقة الدفع.' },
  ja: { 'stripe.method': 'カード・ウォレットなど', 'stripe.choose': 'お支払い方法を選択してください。' },
} as const satisfies Texts
