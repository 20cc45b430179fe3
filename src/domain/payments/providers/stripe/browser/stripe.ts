// Types of the used parts of Stripe's script, which the browser loads from Stripe (https://docs.stripe.com/js).

declare global {
  interface Window {
    Stripe: (publishableKey: string, options: { locale: string }) => Stripe
  }
}

export interface Stripe {
  elements(options: { clientSecret: string; locale: string; appearance: Appearance }): Elements
  // Resolves only if the shopper stays on the page.
  confirmPayment(options: {
    elements: Elements
    confirmParams: { return_url: string }
  }): Promise<{ error: StripeError }>
}

export interface Elements {
  create(kind: 'payment', options: { defaultValues: { billingDetails: BillingDetails } }): PaymentElement
  update(options: { appearance: Appearance }): void
}

export interface PaymentElement {
  on(event: 'ready' | 'loaderror' | 'change', listener: () => void): void
  mount(selector: string): void
}

export interface Appearance {
  theme: 'night' | 'stripe'
  variables: Readonly<Record<string, string>>
}

export interface BillingDetails {
  email?: string
  name?: string
  phone?: string
  address?: Readonly<Record<string, string>>
}

export interface StripeError {
  type: string
  message?: string
  payment_intent?: { status: string }
}
