// The texts about Stripe on the checkout page: the name of the payment method, a note on it, and the instruction while no method is chosen.

import type { ProviderTexts } from '../../port.ts'

export const stripeTexts = {
  en: {
    'stripe.method': 'Card, wallet and more',
    'stripe.note': 'You enter your details on the next page.',
    'stripe.choose': 'Please choose how to pay.',
  },
  de: {
    'stripe.method': 'Karte, Wallet und mehr',
    'stripe.note': 'Ihre Daten geben Sie auf der nächsten Seite ein.',
    'stripe.choose': 'Bitte wählen Sie eine Zahlungsart.',
  },
  fr: {
    'stripe.method': 'Carte, portefeuille et autres',
    'stripe.note': 'Vous saisissez vos coordonnées de paiement à la page suivante.',
    'stripe.choose': 'Veuillez choisir un moyen de paiement.',
  },
  es: {
    'stripe.method': 'Tarjeta, monedero y más',
    'stripe.note': 'Introducirá sus datos en la página siguiente.',
    'stripe.choose': 'Elija cómo quiere pagar.',
  },
  nl: {
    'stripe.method': 'Kaart, wallet en meer',
    'stripe.note': 'Je gegevens vul je op de volgende pagina in.',
    'stripe.choose': 'Kies hoe je wilt betalen.',
  },
  ar: {
    'stripe.method': 'بطاقة أو محفظة رقمية وغيرها',
    'stripe.note': 'ستُدخل بياناتك في الصفحة التالية.',
    'stripe.choose': 'يرجى اختيار طريقة الدفع.',
  },
  ja: {
    'stripe.method': 'カード・ウォレットなど',
    'stripe.note': 'お支払い情報は次のページで入力します。',
    'stripe.choose': 'お支払い方法を選択してください。',
  },
} as const satisfies ProviderTexts
