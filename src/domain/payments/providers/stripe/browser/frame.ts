// Shows Stripe's Payment Element on the pay page and confirms the payment with it. The shopper's input stays in Stripe's frames. Unless an
// error is shown here, the shopper is then redirected to the return URL, where the server queries Stripe.

import type { Appearance, BillingDetails, Elements, Stripe, StripeError } from './stripe.ts'

// The casts hold: the page always contains these elements, and the form these data attributes.
const element = (id: string) => document.getElementById(id) as HTMLElement
const form = element('frame')
const button = element('frame-pay') as HTMLButtonElement
const problem = element('frame-problem')
const { script, publishableKey, clientSecret } = JSON.parse(form.dataset.facts ?? '') as Record<FrameFact, string>
const shopper = JSON.parse(form.dataset.shopper ?? '') as Shopper
const returnUrl = new URL(form.dataset.return ?? '', location.href).href
const label = button.textContent

type FrameFact = 'script' | 'publishableKey' | 'clientSecret'

interface Shopper {
  email?: string | null
  name?: string | null
  phone?: string | null
  address?: Partial<Record<'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country', string | null>> | null
}

// The URL of this page is a secret, and Stripe's script reports the URL of its page. The return URL redirects back to this page.
history.replaceState(null, '', returnUrl)
form.hidden = false

function tell(text = ''): void {
  problem.textContent = text
}

function setBusy(isBusy: boolean): void {
  button.disabled = isBusy
  button.textContent = isBusy ? (form.dataset.busy ?? '') : label
}

function appearance(): Appearance {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  return {
    theme: dark.matches ? 'night' : 'stripe',
    variables: {
      colorPrimary: colour('--accent'),
      colorBackground: colour('--sheet'),
      colorText: colour('--ink'),
      colorTextSecondary: colour('--ink-soft'),
      colorDanger: colour('--red'),
      fontFamily: 'system-ui, sans-serif',
      borderRadius: colour('--round'),
    },
  }
}

// What the shop already knows about the shopper, who need not type it again. Stripe's wallet Link also recognises shoppers by it. Empty
// texts are left out, because Stripe would treat them as values.
function billingDetails(): BillingDetails {
  const given = (facts: object) => Object.fromEntries(Object.entries(facts).filter(([, value]) => value))
  const { email, name, phone, address } = shopper
  if (!address) return given({ email, name, phone })
  const { line1, line2, city, region: state, postalCode: postal_code, country } = address
  return given({ email, name, phone, address: given({ line1, line2, city, state, postal_code, country }) })
}

const dark = matchMedia('(prefers-color-scheme: dark)')

function mount(): void {
  const locale = document.documentElement.lang.split('-')[0] ?? ''
  const stripe = window.Stripe(publishableKey, { locale })
  const elements = stripe.elements({ clientSecret, locale, appearance: appearance() })
  const payment = elements.create('payment', { defaultValues: { billingDetails: billingDetails() } })
  payment.on('ready', () => {
    element('frame-place').removeAttribute('aria-busy')
    element('frame-loading').remove()
    setBusy(false)
  })
  payment.on('loaderror', () => tell(form.dataset.unavailable))
  // A message is about the previous input, so it is removed when the input changes.
  payment.on('change', () => tell(''))
  payment.mount('#frame-element')
  dark.addEventListener('change', () => elements.update({ appearance: appearance() }))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!button.disabled) void pay(stripe, elements)
  })
}

// Whether the payment has ended: it was paid or closed in another tab, or it expired.
const isOver = (error: StripeError) =>
  ['succeeded', 'processing', 'canceled'].includes(error.payment_intent?.status ?? '')

async function pay(stripe: Stripe, elements: Elements): Promise<void> {
  tell('')
  setBusy(true)
  try {
    // Resolves only if the shopper stays on this page.
    const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: returnUrl } })
    if (isOver(error)) return location.assign(returnUrl)
    // Only messages of these types are in the shopper's language; other messages are for developers.
    const isForShopper = error.type === 'card_error' || error.type === 'validation_error'
    tell((isForShopper && error.message) || form.dataset.failed)
  } catch {
    tell(form.dataset.failed)
  }
  setBusy(false)
  button.focus()
}

const loader = document.createElement('script')
loader.src = script
loader.addEventListener('load', mount)
loader.addEventListener('error', () => tell(form.dataset.unavailable))
document.head.append(loader)

// A page from the browser's cache is in the state in which the shopper left it for the bank, so it is loaded again.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
