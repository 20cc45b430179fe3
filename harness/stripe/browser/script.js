// The stand-in for the script at js.stripe.com/endive/stripe.js: https://docs.stripe.com/js. It offers what a pay page uses: the Payment Element, and
// confirmation with or without a redirect. Card data never reaches this page; it stays in the frame.

{
  const origin = new URL(document.currentScript.src).origin
  // As Stripe's script does: it reports the address of the page that it runs in.
  new Image().src = `${origin}/v3/page?url=${encodeURIComponent(location.href)}`

  class PaymentElement {
    constructor(key, { clientSecret, locale = 'auto' }) {
      this.key = key
      this.clientSecret = clientSecret
      this.locale = locale
      this.listeners = {}
      this.waiting = new Map()
      this.count = 0
    }

    on(event, listener) {
      this.listeners[event] ??= []
      this.listeners[event].push(listener)
      return this
    }

    emit(event, detail) {
      for (const listener of this.listeners[event] ?? []) listener({ elementType: 'payment', ...detail })
    }

    mount(target) {
      const place = typeof target === 'string' ? document.querySelector(target) : target
      if (!place)
        throw new Error(`IntegrationError: The selector you specified (${target}) applies to no DOM elements.`)
      this.frame = document.createElement('iframe')
      this.frame.title = 'Secure payment input frame'
      this.frame.allow = 'payment *'
      this.frame.src = `${origin}/v3/frame`
      // As Stripe's script is said to do (https://github.com/mozilla/fxa/issues/2138): a policy must allow the attribute.
      this.frame.setAttribute('style', 'border: 0; width: 100%; height: 14rem')
      window.addEventListener('message', (message) => this.receive(message))
      place.replaceChildren(this.frame)
    }

    unmount() {
      this.frame?.remove()
    }

    destroy() {
      this.unmount()
    }

    async receive({ origin: from, source, data }) {
      if (from !== origin || source !== this.frame?.contentWindow) return
      if (data.kind === 'loaded') {
        const { paymentIntent, error } = await retrieve(this.key, this.clientSecret)
        if (error) return this.emit('loaderror', { error })
        await this.ask({ kind: 'show', intent: paymentIntent, key: this.key })
        this.emit('ready', {})
      } else if (data.kind === 'change') this.emit('change', { complete: data.complete, value: { type: data.type } })
      else if (data.kind === 'answer') {
        this.waiting.get(data.id)?.(data.answer)
        this.waiting.delete(data.id)
      }
    }

    ask(question) {
      this.count += 1
      const id = this.count
      return new Promise((resolve) => {
        this.waiting.set(id, resolve)
        this.frame.contentWindow.postMessage({ ...question, id }, origin)
      })
    }
  }

  async function retrieve(key, clientSecret) {
    const id = clientSecret.split('_secret_')[0]
    const query = new URLSearchParams({ key, client_secret: clientSecret })
    const response = await fetch(`${origin}/v1/payment_intents/${id}?${query}`)
    const body = await response.json()
    return response.ok ? { paymentIntent: body } : { error: body.error }
  }

  function returnUrlFor({ id, client_secret: secret, status }, returnUrl) {
    const url = new URL(returnUrl)
    url.searchParams.set('payment_intent', id)
    url.searchParams.set('payment_intent_client_secret', secret)
    url.searchParams.set('redirect_status', status === 'processing' ? 'pending' : 'succeeded')
    return url.href
  }

  // https://docs.stripe.com/js/elements_object/create_payment_element: others are refused as a mistake of the page.
  function checkNames(options, known) {
    for (const name of Object.keys(options))
      if (!known.includes(name)) throw new Error(`IntegrationError: ${name} is not an accepted parameter.`)
  }

  const never = new Promise(() => {})

  function leave(url) {
    window.location.assign(url)
    return never
  }

  window.Stripe = (key) => {
    if (typeof key !== 'string' || !key.startsWith('pk_'))
      throw new Error('IntegrationError: You should not use your secret key with Stripe.js.')
    return {
      elements: ({ clientSecret, locale }) => {
        const element = new PaymentElement(key, { clientSecret, locale })
        return {
          element,
          create: (type, { defaultValues: { billingDetails = {} } = {}, ...others } = {}) => {
            if (type !== 'payment') throw new Error(`the stand-in has no element ${type}`)
            checkNames(others, [])
            checkNames(billingDetails, ['address', 'email', 'name', 'phone'])
            checkNames(billingDetails.address ?? {}, ['city', 'country', 'line1', 'line2', 'postal_code', 'state'])
            element.billingDetails = billingDetails
            return element
          },
          getElement: () => element,
          submit: () => element.ask({ kind: 'check' }),
          update: () => {},
        }
      },
      retrievePaymentIntent: (clientSecret) => retrieve(key, clientSecret),
      confirmPayment: async ({ elements, confirmParams = {}, redirect = 'always' }) => {
        const { return_url: returnUrl } = confirmParams
        if (redirect === 'always' && !returnUrl) throw new Error('IntegrationError: return_url is required.')
        const { element } = elements
        const checked = await element.ask({ kind: 'check' })
        if (checked.error) return checked
        const answer = await element.ask({
          kind: 'confirm',
          clientSecret: element.clientSecret,
          returnUrl,
          billingDetails: element.billingDetails,
        })
        if (answer.error) return answer
        const { paymentIntent } = answer
        const bank = paymentIntent.next_action?.redirect_to_url?.url
        if (bank) return leave(bank)
        return redirect === 'if_required' ? { paymentIntent } : leave(returnUrlFor(paymentIntent, returnUrl))
      },
    }
  }
  window.Stripe.version = 'stand-in'
}
