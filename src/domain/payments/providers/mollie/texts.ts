// The texts about Mollie on the checkout page, by language.

import type { ProviderTexts } from '../../port.ts'

export const mollieTexts = {
  en: {
    'mollie.online': 'Mollie (card, bank or wallet)',
    'mollie.method': 'Please choose how to pay.',
  },
  de: {
    'mollie.online': 'Mollie (Karte, Bank oder Wallet)',
    'mollie.method': 'Bitte wählen Sie eine Zahlungsart.',
  },
  fr: {
    'mollie.online': 'Mollie (carte, banque ou portefeuille électronique)',
    'mollie.method': 'Veuillez choisir un mode de paiement.',
  },
  es: {
    'mollie.online': 'Mollie (tarjeta, banco o monedero digital)',
    'mollie.method': 'Elija una forma de pago.',
  },
  nl: {
    'mollie.online': 'Mollie (iDEAL, kaart, bank of wallet)',
    'mollie.method': 'Kies hoe je wilt betalen.',
  },
  ja: {
    'mollie.online': 'Mollie(カード・銀行・電子ウォレット)',
    'mollie.method': 'お支払い方法を選択してください。',
  },
  ar: {
    'mollie.online': 'Mollie (بطاقة أو بنك أو محفظة إلكترونية)',
    'mollie.method': 'يرجى اختيار طريقة الدفع.',
  },
} as const satisfies ProviderTexts
